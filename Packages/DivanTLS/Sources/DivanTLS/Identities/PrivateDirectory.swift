import Glibc

/// A directory that only its owner may enter, with files that only the owner may read.
///
/// All access goes through one open directory, so nobody can swap it meanwhile; symbolic links are never followed.
struct PrivateDirectory: ~Copyable {
    private let path: String
    private let descriptor: Int32
    /// Syncs its entries to the disk; -1 and `errno` if that fails.
    private let sync: (Int32) -> Int32

    private init(_ path: String, _ descriptor: Int32, _ sync: @escaping (Int32) -> Int32) {
        self.path = path
        self.descriptor = descriptor
        self.sync = sync
    }

    /// Opens a directory, after creating it if `creates` is set.
    ///
    /// Returns `nil` if it does not exist and must not be created. Tests can replace the function that syncs it to
    /// disk.
    ///
    /// - Throws: `CredentialError.Reason.exposed` if other users can access it, or `.file`.
    static func open(
        _ path: String,
        creates: Bool,
        sync: @escaping (Int32) -> Int32 = { fsync($0) }
    ) throws(CredentialError) -> PrivateDirectory? {
        if creates { make(path) }
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        let descriptor = Glibc.open(path, flags)
        if descriptor < 0, errno == ENOENT, !creates { return nil }
        guard descriptor >= 0 else { throw CredentialError(.file(path: path, errno: errno)) }
        let directory = PrivateDirectory(path, descriptor, sync)
        _ = try checkPrivate(descriptor, path: path)
        return directory
    }

    deinit {
        Glibc.close(descriptor)
    }

    /// Reads a whole file; `nil` if it does not exist.
    func read(_ name: String) throws(CredentialError) -> [UInt8]? {
        let place = "\(path)/\(name)"
        // O_NONBLOCK: opening a pipe that somebody put there must not block.
        let file = openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        if file < 0, errno == ENOENT { return nil }
        guard file >= 0 else { throw CredentialError(.file(path: place, errno: errno)) }
        defer { Glibc.close(file) }
        let status = try Self.checkPrivate(file, path: place)
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw CredentialError(.file(path: place, errno: EINVAL))
        }
        guard status.st_size <= TLSLimits.fileByteCount else {
            throw CredentialError(
                .tooLarge(byteCount: Int(status.st_size), limit: TLSLimits.fileByteCount)
            )
        }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        var count = 0
        while count < bytes.count {
            let piece = bytes.withUnsafeMutableBytes { buffer in
                Glibc.read(file, buffer.baseAddress.map { $0 + count }, buffer.count - count)
            }
            if piece < 0, errno == EINTR { continue }
            guard piece >= 0 else { throw CredentialError(.file(path: place, errno: errno)) }
            if piece == 0 { break }
            count += piece
        }
        return Array(bytes.prefix(count))
    }

    /// Creates a file with mode 0600 and syncs it; it appears whole or not at all.
    ///
    /// Returns `false` if the name exists already and must not be replaced.
    ///
    /// - Throws: `.file`, also if the disk does not confirm the name. A new file is removed then; a replacement stays,
    ///   and a power failure may bring the old file back.
    func create(
        _ name: String,
        _ bytes: Span<UInt8>,
        isReplacing: Bool = false
    ) throws(CredentialError) -> Bool {
        let place = "\(path)/\(name)"
        let draft = ".\(UInt64.random(in: 0...UInt64.max)).tmp"
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let file = openat(descriptor, draft, flags, 0o600)
        guard file >= 0 else { throw CredentialError(.file(path: place, errno: errno)) }
        defer { unlinkat(descriptor, draft, 0) }
        fchmod(file, 0o600)  // whatever the process masks
        let failure = Self.write(bytes, to: file)
        Glibc.close(file)
        if let failure { throw CredentialError(.file(path: place, errno: failure)) }
        // A link never replaces a file; a rename does.
        let status =
            isReplacing
            ? renameat(descriptor, draft, descriptor, name)
            : linkat(descriptor, draft, descriptor, name, 0)
        if status != 0 {
            if errno == EEXIST { return false }
            throw CredentialError(.file(path: place, errno: errno))
        }
        if let failure = syncNames() {
            if !isReplacing { unlinkat(descriptor, name, 0) }
            throw CredentialError(.file(path: place, errno: failure))
        }
        return true
    }

    /// Removes a file; one that does not exist is no error.
    ///
    /// - Throws: `.file`, also if a power failure may bring the file back.
    func remove(_ name: String) throws(CredentialError) {
        let failure: Int32? = unlinkat(descriptor, name, 0) == 0 ? syncNames() : errno
        guard let failure, failure != ENOENT else { return }
        throw CredentialError(.file(path: "\(path)/\(name)", errno: failure))
    }

    /// Syncs the names to the disk; returns the errno of a failure.
    private func syncNames() -> Int32? {
        guard sync(descriptor) != 0 else { return nil }
        // Not every file system supports this; one that does not has not failed.
        return errno == EINVAL ? nil : errno
    }

    /// The names of all entries except `.` and `..`, in no particular order.
    func names() throws(CredentialError) -> [String] {
        // A second descriptor: closedir closes the one that it reads from.
        let copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0, let stream = fdopendir(copy) else {
            let code = errno
            if copy >= 0 { Glibc.close(copy) }
            throw CredentialError(.file(path: path, errno: code))
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Creates the directory and its missing parents with mode 0700; `open` reports failures.
    private static func make(_ path: String) {
        var made = path.hasPrefix("/") ? "/" : ""
        for part in path.split(separator: "/") {
            made += part
            mkdir(made, 0o700)
            made += "/"
        }
    }

    private static func checkPrivate(
        _ descriptor: Int32,
        path: String
    ) throws(CredentialError) -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw CredentialError(.file(path: path, errno: errno))
        }
        guard status.st_mode & 0o077 == 0, status.st_uid == geteuid() else {
            throw CredentialError(.exposed(path: path, mode: status.st_mode & 0o7777))
        }
        return status
    }

    /// Writes and syncs; returns the errno of a failure.
    private static func write(_ bytes: Span<UInt8>, to file: Int32) -> Int32? {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes
            while !rest.isEmpty {
                let count = Glibc.write(file, rest.baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return errno }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            }
            return fsync(file) == 0 ? nil : errno
        }
    }
}
