import CDivanHolder
import DivanCommandLine
import DivanPlatform

/// Where the process that holds a database accepts commands.
///
/// A socket in the bundle, with mode 0600. Each end checks that the other is the same user, or root. So
/// a command of root does not go through a process of another user, who could have put the socket there.
struct HolderAddress {
    /// The socket's name in the bundle.
    static let name = "holder"
    /// The protocol version; any other is refused.
    static let version = 1

    private let directory: FileDescriptor

    /// Opens the bundle; `nil` if there is none that this user may enter.
    init?(_ path: DatabasePath) {
        let flags: FileDescriptor.OpenFlags = [.readOnly, .directory, .closeOnExec]
        guard let opened = try? FileDescriptor.open(path.bundle, flags) else { return nil }
        directory = opened
    }

    /// Closes the bundle.
    func close() { directory.close() }

    /// Listens, replacing the socket of a process that has ended; only for the owner of the database's lock.
    ///
    /// - Returns: The socket, or `nil` if no socket can be created: on a file system without them.
    func listen() -> Socket? {
        remove()
        let descriptor = FileDescriptor(divan_holder_listen(directory.rawValue, Self.name))
        return descriptor.isOpen ? Socket(descriptor: descriptor) : nil
    }

    /// Removes the socket's file.
    func remove() { try? FileSystem.removeFile(Self.name, in: directory) }

    /// Connects; `nil` if no process listens: the file does not exist, or its process has ended.
    func connect() -> Socket? {
        let descriptor = FileDescriptor(divan_holder_connect(directory.rawValue, Self.name))
        guard descriptor.isOpen else { return nil }
        let socket = Socket(descriptor: descriptor)
        guard Self.isTrusted(socket) else {
            socket.close()
            return nil
        }
        return socket
    }

    /// Whether the other end is this user, or root.
    static func isTrusted(_ socket: Socket) -> Bool {
        var (user, process) = (UInt32.max, Int32(0))
        let number = socket.descriptor.rawValue
        guard divan_holder_peer(number, &user, &process) == 0 else { return false }
        return user == CurrentProcess.effectiveUser || user == 0
    }
}
