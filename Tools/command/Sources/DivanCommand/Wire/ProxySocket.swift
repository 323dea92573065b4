import DivanCommandLine
import DivanPlatform

/// The sockets of `divan wire proxy`: opened here, and non-blocking from then on.
enum ProxySocket {
    /// How long a server may take to accept a connection, in seconds.
    private static let patience = 10

    /// Listens on a port of a host; port 0 chooses any free one.
    static func listen(_ host: String, _ port: UInt16) throws(Failure) -> Socket {
        try open(host, port, options: .passive, verb: "listen on") {
            (address) throws(SystemError) in
            let socket = try Socket(family: address.family)
            try? socket.setOption(.reuseAddress, 1)
            do throws(SystemError) {
                try socket.bind(to: address)
                try socket.listen(backlog: 64)
                return socket
            } catch {
                socket.close()
                throw error
            }
        }
    }

    /// Connects to a port of a host.
    static func connect(_ host: String, _ port: UInt16) throws(Failure) -> Socket {
        try open(host, port, options: [], verb: "connect to") { (address) throws(SystemError) in
            let socket = try Socket(family: address.family, isBlocking: true)
            socket.setTimeouts(sending: patience)
            do throws(SystemError) {
                try socket.connectBlocking(to: address)
                socket.descriptor.setNonBlocking()
                return socket
            } catch {
                socket.close()
                throw error
            }
        }
    }

    private static func open(
        _ host: String,
        _ port: UInt16,
        options: SocketAddress.ResolveOptions,
        verb: String,
        _ begin: (SocketAddress) throws(SystemError) -> Socket
    ) throws(Failure) -> Socket {
        let addresses: [SocketAddress]
        do {
            addresses = try SocketAddress.resolve(host, port: port, options: options)
        } catch {
            throw Failure(
                kind: .unreachable,
                sentence: "\(host): \(error.text)",
                hint: "check the host name"
            )
        }
        var problem = Errno.none
        for address in addresses {
            do {
                return try begin(address)
            } catch {
                // A connection that timed out ends with this error.
                problem = error.errno == .nowInProgress ? .timedOut : error.errno
            }
        }
        throw Failure(
            kind: .unreachable,
            text: "cannot \(verb) \(host) port \(port): \(problem); check the host and the port"
        )
    }

    /// The result of reading.
    enum Reading {
        case bytes([UInt8])
        case nothing
        case end
    }

    /// Reads what has arrived.
    static func read(_ socket: Socket) -> Reading {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        switch bytes.withUnsafeMutableBytes({ socket.receive(into: $0) }) {
        case .bytes(let count) where count > 0: return .bytes(Array(bytes.prefix(count)))
        case .wouldBlock: return .nothing
        case .bytes, .failed: return .end
        }
    }

    /// Writes what can be written now; returns how much, `nil` if the other end has closed the connection.
    static func write(_ bytes: [UInt8], to socket: Socket) -> Int? {
        switch bytes.withUnsafeBytes({ socket.send($0) }) {
        case .bytes(let count): count
        case .wouldBlock: 0
        case .failed: nil
        }
    }
}
