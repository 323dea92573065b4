import DivanPlatform

/// Files that only their owner can read, and that are replaced completely or not at all.
enum OwnerOnlyFile {
    /// Reads a file; `nil` if it does not exist.
    ///
    /// - Throws: `StatusError` if it is no regular file, belongs to another user, can be read or
    ///   written by others, or is longer than `limit` bytes.
    static func read(_ path: String, limit: Int) throws(StatusError) -> [UInt8]? {
        // O_NONBLOCK: opening a pipe in its place must not block.
        let descriptor: FileDescriptor
        do {
            descriptor = try .open(path, [.readOnly, .closeOnExec, .nonBlocking, .noFollow])
        } catch {
            if error.errno == .noSuchFileOrDirectory { return nil }
            throw StatusError(description: "\(path): \(error.errno); remove it")
        }
        defer { descriptor.close() }
        guard let status = try? descriptor.status(), status.kind == .regular else {
            throw StatusError(description: "\(path): not a regular file; remove it")
        }
        guard status.owner == CurrentProcess.effectiveUser || status.owner == 0 else {
            throw StatusError(
                description: "\(path): owned by another user (\(status.owner)); "
                    + "run the command as that user"
            )
        }
        guard status.permissions & 0o077 == 0 else {
            let mode = String(status.permissions, radix: 8)
            throw StatusError(
                description: "\(path): accessible to other users (mode \(mode)); "
                    + "run chmod 600, or remove the file"
            )
        }
        guard let bytes = try? descriptor.readAll(limit: limit) else {
            throw StatusError(
                description: "\(path): unreadable or larger than \(limit) bytes; remove it"
            )
        }
        return bytes
    }

    /// Reads any file that can be read and has at most `limit` bytes.
    static func contents(_ path: String, limit: Int) -> [UInt8]? {
        guard let descriptor = try? FileDescriptor.open(path, [.readOnly, .closeOnExec]) else {
            return nil
        }
        defer { descriptor.close() }
        return try? descriptor.readAll(limit: limit)
    }

    /// Replaces a file with these bytes; false if that fails.
    static func replace(_ path: String, with bytes: [UInt8]) -> Bool {
        let draft = path + ".new"
        try? FileSystem.removeFile(draft)
        let flags: FileDescriptor.OpenFlags = [
            .writeOnly, .create, .exclusive, .closeOnExec, .noFollow,
        ]
        guard let descriptor = try? FileDescriptor.open(draft, flags, permissions: 0o600) else {
            return false
        }
        do {
            defer { descriptor.close() }
            try descriptor.writeAll(bytes)
            try FileSystem.rename(draft, to: path)
            return true
        } catch {
            try? FileSystem.removeFile(draft)
            return false
        }
    }
}

/// A status file that is unsafe to read.
public struct StatusError: Error, Equatable, CustomStringConvertible {
    /// The file, the problem, and what to do.
    public let description: String
}
