internal import Glibc

/// The kind of a bundle, determined from its first bytes.
public enum BundleKind: Equatable, Sendable {
    /// No bundle, or an unknown format.
    case unknown
    /// A database of Couchbase Lite, or any other SQLite file.
    case sqlite
    /// An encrypted database of Couchbase Lite.
    case encrypted
    /// Written by a pre-release of Couchbase Lite 2.
    case forestDB

    /// Examines a folder.
    ///
    /// - Throws: `CBLiteError.system` if the system denies access.
    public init(of directory: String) throws(CBLiteError) {
        let database = directory + "/db.sqlite3"
        guard Files.byteCount(database) != nil else {
            let isForest = Files.names(in: directory).contains { $0.hasPrefix("db.forestdb") }
            self = isForest ? .forestDB : .unknown
            return
        }
        let start = try Files.start(of: database, count: 512)
        if start.starts(with: Array("SQLite format 3\0".utf8)) {
            self = .sqlite
        } else if start.starts(with: Array("DvS".utf8)) {
            // A sealed database of Divan.
            self = .unknown
        } else if start.count == 512, (Files.byteCount(database) ?? 1) % 512 == 0,
            start.looksRandom
        {
            self = .encrypted
        } else {
            self = .unknown
        }
    }
}

extension [UInt8] {
    /// Whether the bytes have as many distinct values as random ones: 512 of them have 221 on average.
    fileprivate var looksRandom: Bool { Set(self).count > 180 }
}

/// System calls on files, with readable names.
enum Files {
    static func byteCount(_ path: String) -> Int? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }

    /// What changes when somebody writes: size and time.
    static func stamp(_ path: String) -> [Int] {
        var status = stat()
        guard stat(path, &status) == 0 else { return [] }
        return [Int(status.st_size), Int(status.st_mtim.tv_sec), Int(status.st_mtim.tv_nsec)]
    }

    static func names(in directory: String) -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            // `d_name` is a NUL-terminated array inside the entry, which lives until the next
            // `readdir`; the string is made before that.
            let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
                field.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            names.append(name)
        }
        return names
    }

    static func start(of path: String, count: Int) throws(CBLiteError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(errno) }
        defer { close(descriptor) }
        return try read(descriptor, upTo: count)
    }

    /// Returns fewer bytes only at the end.
    static func read(_ descriptor: Int32, upTo count: Int) throws(CBLiteError) -> [UInt8] {
        var failure: Int32 = 0
        // The system writes at most the bytes that are left of the buffer's `count`.
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = 0
            while filled < count, let base = buffer.baseAddress {
                let result = Glibc.read(descriptor, base + filled, count - filled)
                if result == 0 { return }
                if result < 0, errno == EINTR { continue }
                guard result > 0 else {
                    failure = errno
                    return
                }
                filled += result
            }
        }
        guard failure == 0 else { throw .system(failure) }
        return bytes
    }

    /// Copies a file into a new one that only its owner can read.
    ///
    /// - Throws: `.scratch` if writing the copy fails, `.system` if reading the source does.
    static func copy(_ source: String, to target: String) throws(CBLiteError) {
        let from = open(source, O_RDONLY | O_CLOEXEC)
        guard from >= 0 else { throw .system(errno) }
        defer { close(from) }
        let to = open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        let number = errno
        let directory = target.lastIndex(of: "/").map { String(target[..<$0]) } ?? "."
        guard to >= 0 else { throw .scratch(directory: directory, errno: number) }
        defer { close(to) }
        try copyBytes(from, to, in: directory)
    }

    private static func copyBytes(
        _ from: Int32,
        _ to: Int32,
        in directory: String
    ) throws(CBLiteError) {
        while true {
            let piece = try read(from, upTo: 1 << 20)
            guard !piece.isEmpty else { return }
            var done = 0
            while done < piece.count {
                // The array exists for the duration of the call.
                let count = piece[done...].withUnsafeBytes { write(to, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw .scratch(directory: directory, errno: errno) }
                done += count
            }
        }
    }
}
