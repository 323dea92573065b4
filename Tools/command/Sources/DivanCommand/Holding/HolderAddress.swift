import CDivanHolder
import DivanCommandLine
import Glibc

/// Where the process that holds a database accepts commands.
///
/// A socket in the bundle, with mode 0600. Each end checks that the other is the same user, or root. So
/// a command of root does not go through a process of another user, who could have put the socket there.
struct HolderAddress {
    /// The socket's name in the bundle.
    static let name = "holder"
    /// The protocol version; any other is refused.
    static let version = 1

    private let directory: Int32

    /// Opens the bundle; `nil` if there is none that this user may enter.
    init?(_ path: DatabasePath) {
        directory = open(path.bundle, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return nil }
    }

    /// Closes the bundle.
    func close() { _ = Glibc.close(directory) }

    /// Listens, replacing the socket of a process that has ended; only for the owner of the database's lock.
    ///
    /// - Returns: The descriptor, or `nil` if no socket can be created: on a file system without them.
    func listen() -> Int32? {
        unlinkat(directory, Self.name, 0)
        let descriptor = divan_holder_listen(directory, Self.name)
        return descriptor >= 0 ? descriptor : nil
    }

    /// Removes the socket's file.
    func remove() { unlinkat(directory, Self.name, 0) }

    /// Connects; `nil` if no process listens: the file does not exist, or its process has ended.
    func connect() -> Int32? {
        let descriptor = divan_holder_connect(directory, Self.name)
        guard descriptor >= 0 else { return nil }
        guard Self.isTrusted(descriptor) else {
            _ = Glibc.close(descriptor)
            return nil
        }
        return descriptor
    }

    /// Whether the other end is this user, or root.
    static func isTrusted(_ socket: Int32) -> Bool {
        var (user, process) = (uid_t.max, pid_t(0))
        guard divan_holder_peer(socket, &user, &process) == 0 else { return false }
        return user == geteuid() || user == 0
    }
}
