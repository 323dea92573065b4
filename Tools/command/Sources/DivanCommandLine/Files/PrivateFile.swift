import Glibc

/// A file with secrets: only its owner may read it, and it changes completely or not at all.
package enum PrivateFile {
    /// Reads the file.
    ///
    /// - Throws: `Failure` if it is missing, not a plain file, belongs to another user, can be
    ///   read or written by others, or is longer than `limit` bytes.
    package static func read(_ path: String, limit: Int) throws(Failure) -> [UInt8] {
        // O_NONBLOCK: if the path is a pipe, opening it must not wait.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .file(path, errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .file(path, errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .file(path, EINVAL) }
        guard status.st_uid == geteuid() || status.st_uid == 0, status.st_mode & 0o077 == 0 else {
            throw Failure(
                kind: .invalid,
                sentence: "\(path): other users can read or change it (mode "
                    + "\(String(status.st_mode & 0o7777, radix: 8)))",
                hint: "run 'chmod 600 \(path.wordForShell)', and replace any secret that may have "
                    + "been read"
            )
        }
        guard status.st_size <= limit else {
            throw Failure(
                kind: .invalid,
                sentence: "\(path): \(status.st_size) bytes exceed the limit of \(limit)",
                hint: "check that it is the right file"
            )
        }
        var bytes: [UInt8] = []
        do {
            while bytes.count <= limit {
                let piece = try Descriptor.read(upTo: 1 << 16, from: descriptor)
                if piece.isEmpty { break }
                bytes += piece
            }
        } catch {
            throw .file(path, error.number)
        }
        return bytes
    }

    /// Writes the file with mode 0600, replacing an existing one if `isReplacing` is set.
    ///
    /// - Throws: `Failure` if it cannot be written, or exists and must not be replaced.
    package static func write(
        _ bytes: [UInt8],
        to path: String,
        isReplacing: Bool = true,
        isSynced: Bool = true
    ) throws(Failure) {
        try OutputFile.write(
            bytes,
            to: path,
            .init(isSecret: true, isReplacing: isReplacing, isSynced: isSynced)
        )
    }

    /// Locks the directory of a file against other programs that do the same.
    package static func locking<T>(beside path: String, _ body: () throws -> T) throws -> T {
        let directory = OutputFile.directory(of: path)
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure.file(directory, errno) }
        // Closing releases the lock.
        defer { close(descriptor) }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw Failure.file(directory, errno) }
        }
        return try body()
    }
}
