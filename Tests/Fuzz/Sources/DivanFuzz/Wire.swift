import DivanPlatform
import DivanTestKit

/// A local TCP connection; nothing it does waits for ever.
final class Wire {
    private let socket: Socket

    /// Takes over an open socket.
    init(adopting socket: Socket) {
        self.socket = socket
        socket.setTimeouts(sending: 5)
        try? socket.setOption(.noDelay, 1)
    }

    /// Connects; `nil` if no process listens there.
    convenience init?(to port: UInt16) {
        guard let socket = Loopback.connect(to: port) else { return nil }
        self.init(adopting: socket)
    }

    deinit { socket.close() }

    /// Sends everything; false if the other side has closed.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool { socket.sendAll(bytes) }

    /// What has arrived in time: nothing, or bytes; `nil` if the other side has closed.
    func receive(within milliseconds: Int32) -> [UInt8]? {
        let events = try? socket.descriptor.wait(for: .reading, milliseconds: milliseconds)
        guard events?.isEmpty == false else { return [] }
        let bytes = socket.receive(upTo: 65_536)
        return bytes.isEmpty ? nil : bytes
    }
}

/// Listens locally, on a port that the system chooses.
final class LoopbackListener {
    let port: UInt16
    private let socket: Socket

    /// `nil` if the system has no socket left.
    init?() {
        guard let (socket, port) = try? Loopback.listen() else { return nil }
        self.socket = socket
        self.port = port
    }

    deinit { socket.close() }

    /// The next client that connects in time.
    func accept(within milliseconds: Int32) -> Wire? {
        let events = try? socket.descriptor.wait(for: .reading, milliseconds: milliseconds)
        guard events?.isEmpty == false else { return nil }
        return (try? socket.acceptBlocking()).map { Wire(adopting: $0) }
    }
}
