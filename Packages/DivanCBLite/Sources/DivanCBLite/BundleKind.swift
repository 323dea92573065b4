import DivanPlatform

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
        guard let status = try? FileStatus(of: path), status.kind == .regular else { return nil }
        return status.byteCount
    }

    /// What changes when somebody writes: size and time.
    static func stamp(_ path: String) -> [Int] {
        guard let status = try? FileStatus(of: path) else { return [] }
        return [status.byteCount, status.modifiedSeconds, status.modifiedNanoseconds]
    }

    static func names(in directory: String) -> [String] {
        (try? FileSystem.names(in: directory)) ?? []
    }

    static func start(of path: String, count: Int) throws(CBLiteError) -> [UInt8] {
        let file = try open(path)
        defer { file.close() }
        return try read(file, upTo: count)
    }

    private static func open(_ path: String) throws(CBLiteError) -> FileDescriptor {
        do {
            return try FileDescriptor.open(path, [.readOnly, .closeOnExec])
        } catch {
            throw .system(error.errno.rawValue)
        }
    }

    /// Returns fewer bytes only at the end.
    static func read(_ file: FileDescriptor, upTo count: Int) throws(CBLiteError) -> [UInt8] {
        do throws(SystemError) {
            var bytes = try file.read(upTo: count)
            while !bytes.isEmpty, bytes.count < count {
                let piece = try file.read(upTo: count - bytes.count)
                if piece.isEmpty { break }
                bytes += piece
            }
            return bytes
        } catch {
            throw .system(error.errno.rawValue)
        }
    }

    /// Copies a file into a new one that only its owner can read.
    ///
    /// - Throws: `.scratch` if writing the copy fails, `.system` if reading the source does.
    static func copy(_ source: String, to target: String) throws(CBLiteError) {
        let from = try open(source)
        defer { from.close() }
        let directory = target.lastIndex(of: "/").map { String(target[..<$0]) } ?? "."
        func writing<T>(_ body: () throws(SystemError) -> T) throws(CBLiteError) -> T {
            do {
                return try body()
            } catch {
                throw .scratch(directory: directory, errno: error.errno.rawValue)
            }
        }
        let to = try writing { () throws(SystemError) in
            try FileDescriptor.open(
                target,
                [.writeOnly, .create, .truncate, .closeOnExec, .noFollow],
                permissions: 0o600
            )
        }
        defer { to.close() }
        while case let piece = try read(from, upTo: 1 << 20), !piece.isEmpty {
            try writing { () throws(SystemError) in try to.writeAll(piece) }
        }
    }
}
