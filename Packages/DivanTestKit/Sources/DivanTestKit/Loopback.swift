public import DivanPlatform

/// Blocking local sockets, for servers and clients that a test implements itself.
public enum Loopback {
    /// Listens on a port of 127.0.0.1 that the system chooses.
    public static func listen(
        queue: Int32 = 16
    ) throws(SystemError) -> (socket: Socket, port: UInt16) {
        let socket = try Socket(family: .ipv4, isBlocking: true)
        do throws(SystemError) {
            try socket.bind(to: address(0))
            try socket.listen(backlog: queue)
            guard let port = socket.localAddress()?.port else { throw SystemError("getsockname") }
            return (socket, port)
        } catch {
            socket.close()
            throw error
        }
    }

    /// Connects to a port of 127.0.0.1; `nil` if nothing listens on it.
    public static func connect(to port: UInt16) -> Socket? {
        guard let socket = try? Socket(family: .ipv4, isBlocking: true) else { return nil }
        do {
            try socket.connectBlocking(to: address(port))
            return socket
        } catch {
            socket.close()
            return nil
        }
    }

    /// A port of 127.0.0.1.
    public static func address(_ port: UInt16) throws(SystemError) -> SocketAddress {
        guard let address = SocketAddress(host: "127.0.0.1", port: port) else {
            throw SystemError("getaddrinfo", .addressNotAvailable)
        }
        return address
    }
}
