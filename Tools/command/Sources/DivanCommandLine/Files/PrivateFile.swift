import DivanPlatform

/// A file with secrets: only its owner may read it, and it changes completely or not at all.
package enum PrivateFile {
    /// Reads the file.
    ///
    /// - Throws: `Failure` if it is missing, not a plain file, belongs to another user, can be
    ///   read or written by others, or is longer than `limit` bytes.
    package static func read(_ path: String, limit: Int) throws(Failure) -> [UInt8] {
        // O_NONBLOCK: if the path is a pipe, opening it must not wait.
        let flags: FileDescriptor.OpenFlags = [.readOnly, .closeOnExec, .nonBlocking]
        let descriptor = try Failure.wrapping(FileDescriptor.open(path, flags), at: path)
        defer { descriptor.close() }
        let status = try Failure.wrapping(descriptor.status(), at: path)
        guard status.kind == .regular else { throw .file(path, .invalidArgument) }
        guard status.owner == CurrentProcess.effectiveUser || status.owner == 0,
            status.permissions & 0o077 == 0
        else {
            throw Failure(
                kind: .invalid,
                sentence: "\(path): other users can read or change it (mode "
                    + "\(String(status.permissions, radix: 8)))",
                hint: "run 'chmod 600 \(path.wordForShell)', and replace any secret that may have "
                    + "been read"
            )
        }
        guard status.byteCount <= limit else {
            throw Failure(
                kind: .invalid,
                sentence: "\(path): \(status.byteCount) bytes exceed the limit of \(limit)",
                hint: "check that it is the right file"
            )
        }
        var bytes: [UInt8] = []
        do {
            while bytes.count <= limit {
                let piece = try descriptor.readWaiting(upTo: 1 << 16)
                if piece.isEmpty { break }
                bytes += piece
            }
        } catch {
            throw .file(path, error.errno)
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
        let directory = FileSystem.directory(of: path)
        let flags: FileDescriptor.OpenFlags = [.readOnly, .directory, .closeOnExec]
        let descriptor = try Failure.wrapping(FileDescriptor.open(directory, flags), at: directory)
        // Closing releases the lock.
        defer { descriptor.close() }
        try Failure.wrapping(descriptor.lock(waits: true), at: directory)
        return try body()
    }
}
