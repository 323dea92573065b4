import DivanPlatform

/// The simplest way to talk to a server; a read or write that exceeds the timeout fails.
final class BlockingSocket {
    private let socket: Socket

    init(_ host: String, _ port: UInt16, patience: Int = 10) throws(ProbeError) {
        let addresses: [SocketAddress]
        do {
            addresses = try SocketAddress.resolve(host, port: port)
        } catch {
            throw ProbeError(description: "\(host): \(error.text)", isUnknownHost: true)
        }
        var problem = Errno.noRouteToHost
        for address in addresses {
            do {
                socket = try Self.connected(to: address, patience)
                return
            } catch {
                problem = error.errno
            }
        }
        throw ProbeError(description: "\(host) port \(port): \(problem)", isUnknownHost: false)
    }

    private static func connected(
        to address: SocketAddress,
        _ patience: Int
    ) throws(SystemError) -> Socket {
        let socket = try Socket(family: address.family, isBlocking: true)
        socket.setTimeouts(receiving: patience, sending: patience)
        do {
            try socket.connectBlocking(to: address)
            return socket
        } catch {
            socket.close()
            throw error
        }
    }

    deinit { socket.close() }

    /// Writes everything; a broken connection is noticed when reading.
    func send(_ bytes: [UInt8]) {
        socket.sendAll(bytes)
    }

    /// Reads what has arrived; nothing at the end.
    func receive() -> [UInt8] { socket.receive(upTo: 16_384) }
}
