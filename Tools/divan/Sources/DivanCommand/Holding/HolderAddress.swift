import CDivanHolder
import DivanCommandLine
import Glibc

/// Where the process that holds a database can be asked to work on it.
///
/// A socket in the bundle, of mode 0600. Both ends look who is at the other: the same user, or root.
struct HolderAddress {
    /// The socket's name in the bundle.
    static let name = "holder"
    /// The version of what is spoken there; another one is refused.
    static let version = 1

    private let directory: Int32

    /// Opens the bundle; `nil` when there is none that this user may enter.
    init?(_ path: DatabasePath) {
        directory = open(path.bundle, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return nil }
    }

    /// Ends the use of the bundle.
    func close() { _ = Glibc.close(directory) }

    /// Listens in place of a process that is gone; only for whoever has the database's lock.
    ///
    /// - Returns: The descriptor, or `nil` where no socket can be made: on a file system without them.
    func listen() -> Int32? {
        unlinkat(directory, Self.name, 0)
        let descriptor = divan_holder_listen(directory, Self.name)
        return descriptor >= 0 ? descriptor : nil
    }

    /// Removes the socket's file.
    func remove() { unlinkat(directory, Self.name, 0) }

    /// Connects; `nil` when nobody listens: there is no file, or its process is gone.
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
