import Glibc

/// A file with secrets: only its owner may read it, and it changes whole or not at all.
enum PrivateFile {
    /// Reads the file.
    ///
    /// - Throws: `Failure` when it is not there, is no plain file, belongs to somebody else, can be
    ///   read or written by others, or is longer than `limit` bytes.
    static func read(_ path: String, limit: Int) throws(Failure) -> [UInt8] {
        // O_NONBLOCK: opening a pipe that somebody put there must not wait.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .file(path, errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .file(path, errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .file(path, EINVAL) }
        guard status.st_uid == geteuid() || status.st_uid == 0, status.st_mode & 0o077 == 0 else {
            throw Failure(
                kind: .invalid,
                sentence: "\(path): others may read or change it (mode "
                    + "\(String(status.st_mode & 0o7777, radix: 8))); chmod 600 it, and change "
                    + "what somebody may have read"
            )
        }
        guard status.st_size <= limit else {
            throw Failure(
                kind: .invalid,
                sentence: "\(path): \(status.st_size) bytes exceed the limit of \(limit); check "
                    + "that it is the right file"
            )
        }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= limit {
            let count = piece.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .file(path, errno) }
            if count == 0 { break }
            bytes += piece.prefix(count)
        }
        return bytes
    }

    /// Writes the file with mode 0600, in place of one that is there if `isReplacing` says so.
    ///
    /// - Throws: `Failure` when it cannot be written, or is there and must not be replaced.
    static func write(
        _ bytes: [UInt8],
        to path: String,
        isReplacing: Bool = true,
        isSynced: Bool = true
    ) throws(Failure) {
        let draft = "\(path).\(UInt32.random(in: 0...UInt32.max)).tmp"
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let descriptor = open(draft, flags, 0o600)
        guard descriptor >= 0 else { throw .file(path, errno) }
        defer { unlink(draft) }
        var problem = writeAll(bytes, to: descriptor)
        if problem == nil, isSynced, fsync(descriptor) != 0 { problem = errno }
        close(descriptor)
        if let problem { throw .file(path, problem) }
        // A link never takes the place of a file, a rename does.
        let status = isReplacing ? rename(draft, path) : link(draft, path)
        guard status == 0 else {
            if errno == EEXIST {
                throw Failure(kind: .invalid, sentence: "\(path) exists; choose another name")
            }
            throw .file(path, errno)
        }
        guard isSynced else { return }
        let directory = open(DatabasePath(path).parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return }
        fsync(directory)
        close(directory)
    }

    /// Keeps other programs that ask the same away from the files of a directory meanwhile.
    static func locking<T>(beside path: String, _ body: () throws -> T) throws -> T {
        let directory = DatabasePath(path).parent
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure.file(directory, errno) }
        // Closing gives the lock back.
        defer { close(descriptor) }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw Failure.file(directory, errno) }
        }
        return try body()
    }

    private static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return errno }
            rest = rest.dropFirst(count)
        }
        return nil
    }
}

extension Failure {
    /// A file that cannot be used, in the system's words.
    static func file(_ path: String, _ code: Int32) -> Failure {
        Failure(
            kind: code == ENOENT ? .notFound : .failed,
            sentence: "\(path): \(String(cString: strerror(code))); check the path and its "
                + "permissions"
        )
    }
}
