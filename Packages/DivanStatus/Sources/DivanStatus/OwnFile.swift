import Glibc

/// Files that only their owner can read, and that are replaced completely or not at all.
enum OwnFile {
    /// Reads a file; `nil` if it does not exist.
    ///
    /// - Throws: `StatusError` if it is no regular file, belongs to another user, can be read or
    ///   written by others, or is longer than `limit` bytes.
    static func read(_ path: String, limit: Int) throws(StatusError) -> [UInt8]? {
        // O_NONBLOCK: opening a pipe in its place must not block.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw StatusError(
                description: "\(path): \(String(cString: strerror(errno))); remove it"
            )
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw StatusError(description: "\(path): not a regular file; remove it")
        }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw StatusError(
                description: "\(path): owned by another user (\(status.st_uid)); "
                    + "run the command as that user"
            )
        }
        guard status.st_mode & 0o077 == 0 else {
            let mode = String(status.st_mode & 0o7777, radix: 8)
            throw StatusError(
                description: "\(path): accessible to other users (mode \(mode)); "
                    + "run chmod 600, or remove the file"
            )
        }
        guard let bytes = bytes(of: descriptor, limit: limit) else {
            throw StatusError(
                description: "\(path): unreadable or larger than \(limit) bytes; remove it"
            )
        }
        return bytes
    }

    /// Reads any file that can be read and has at most `limit` bytes.
    static func contents(_ path: String, limit: Int) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return bytes(of: descriptor, limit: limit)
    }

    /// Replaces a file with these bytes; false if that fails.
    static func replace(_ path: String, with bytes: [UInt8]) -> Bool {
        let draft = path + ".new"
        unlink(draft)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let descriptor = open(draft, flags, 0o600)
        guard descriptor >= 0 else { return false }
        let isWhole = write(bytes, to: descriptor)
        close(descriptor)
        guard isWhole, rename(draft, path) == 0 else {
            unlink(draft)
            return false
        }
        return true
    }

    private static func bytes(of descriptor: Int32, limit: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 14)
        while true {
            let count = piece.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress, $0.count)
            }
            if count == 0 { return bytes }
            if count < 0 {
                if errno == EINTR { continue }
                return nil
            }
            bytes += piece.prefix(count)
            if bytes.count > limit { return nil }
        }
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                return false
            }
            rest = rest.dropFirst(count)
        }
        return true
    }
}

/// A status file that is unsafe to read.
public struct StatusError: Error, Equatable, CustomStringConvertible {
    /// The file, the problem, and what to do.
    public let description: String
}
