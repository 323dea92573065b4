import DivanCommandLine
import DivanPlatform
import DivanTLS
import DivanWebSocket

/// One connection through the proxy: forwards bytes, and reports them to an observer.
///
/// It uses no TLS towards the client, and TLS towards the server if the server's URL says so. It reads from a side only
/// while the other has accepted most of the earlier bytes. The end of one side is forwarded after all bytes before it;
/// after both ends, or an error, the connection is over.
struct ProxyConnection {
    /// The state of one of the two sockets.
    private struct Side {
        let socket: Socket
        var output: [UInt8] = []
        var hasEnded = false
        var isShut = false
    }

    private let wake: FileDescriptor
    private let tls: TLSSession?
    private let hostHeader: String
    private let watch: (WireEnd, [UInt8]?) -> Void
    private var client: Side
    private var server: Side
    /// The client's head so far; `nil` once it has been forwarded.
    private var head: [UInt8]? = []
    /// The bytes that wait until TLS is open.
    private var unencrypted: [UInt8] = []

    /// Uses both sockets; the caller closes them.
    ///
    /// `wake` is a pipe that becomes readable when it is time to stop. `watch` is called with the bytes of
    /// each end as they arrive, and with `nil` at its end.
    ///
    /// - Throws: `TLSError` if a session cannot begin.
    init(
        client: Socket,
        server: Socket,
        endpoint: WebSocketEndpoint,
        tls context: TLSContext?,
        wake: FileDescriptor,
        watch: @escaping (WireEnd, [UInt8]?) -> Void
    ) throws {
        self.client = Side(socket: client)
        self.server = Side(socket: server)
        self.wake = wake
        self.watch = watch
        hostHeader = endpoint.hostHeader
        tls = try context.map { try TLSSession($0, serverName: endpoint.certificateName) }
    }

    /// Forwards bytes until the connection is over.
    ///
    /// - Throws: `TLSError` if the server is refused.
    mutating func run() throws {
        tls?.takeOutput(appendingTo: &server.output)
        while !(isDone(client) && isDone(server)) {
            var polled = [
                PolledDescriptor(wake, .reading), watched(client, server), watched(server, client),
            ]
            _ = try? PolledDescriptor.wait(&polled, milliseconds: -1)
            if !polled[0].received.isEmpty { return }
            let readable: PolledDescriptor.Events = [.reading, .closed]
            if !polled[1].received.isDisjoint(with: readable) { try readClient() }
            if !polled[2].received.isDisjoint(with: readable) { try readServer() }
            guard flush(&client), flush(&server) else { return }
            shut(&client, after: server)
            shut(&server, after: client)
        }
    }

    private func isDone(_ side: Side) -> Bool { side.hasEnded && side.output.isEmpty }

    /// What to poll on a side; nothing at all if nothing more is read or written, since a broken
    /// connection would be reported repeatedly.
    private func watched(_ side: Side, _ other: Side) -> PolledDescriptor {
        var events: PolledDescriptor.Events = []
        let isHeldUp = other.output.count > WireLimits.queuedByteCount
        if !side.hasEnded, !isHeldUp { events.insert(.reading) }
        if !side.output.isEmpty { events.insert(.writing) }
        return PolledDescriptor(events.isEmpty ? .none : side.socket.descriptor, events)
    }

    private mutating func readClient() throws {
        switch client.hasEnded ? .nothing : ProxySocket.read(client.socket) {
        case .nothing: break
        case .end:
            client.hasEnded = true
            watch(.client, nil)
            tls?.close()
            tls?.takeOutput(appendingTo: &server.output)
        case .bytes(let bytes):
            watch(.client, bytes)
            try sendToServer(renamed(bytes))
        }
    }

    private mutating func readServer() throws {
        switch server.hasEnded ? .nothing : ProxySocket.read(server.socket) {
        case .nothing: break
        case .end:
            server.hasEnded = true
            // A peer that sends no close_notify has ended all the same.
            if tls?.state == .handshaking { try tls?.receiveEnd() }
            watch(.server, nil)
        case .bytes(let bytes):
            guard let tls else { return take(bytes) }
            var plain: [UInt8] = []
            defer { tls.takeOutput(appendingTo: &server.output) }
            try tls.receive(bytes.span, appendingTo: &plain)
            if !plain.isEmpty { take(plain) }
            try sendToServer([])
        }
    }

    private mutating func take(_ bytes: [UInt8]) {
        watch(.server, bytes)
        client.output += bytes
    }

    private mutating func sendToServer(_ bytes: [UInt8]) throws {
        guard let tls else {
            server.output += bytes
            return
        }
        unencrypted += bytes
        guard tls.state == .open, !unencrypted.isEmpty else { return }
        try tls.send(unencrypted.span)
        unencrypted = []
        tls.takeOutput(appendingTo: &server.output)
    }

    /// Writes what the system accepts; false if the other end has closed the connection.
    private func flush(_ side: inout Side) -> Bool {
        guard !side.output.isEmpty else { return true }
        guard let count = ProxySocket.write(side.output, to: side.socket) else { return false }
        side.output.removeFirst(count)
        return true
    }

    /// Forwards an end, after everything before it was written.
    private func shut(_ side: inout Side, after other: Side) {
        guard other.hasEnded, side.output.isEmpty, !side.isShut else { return }
        side.isShut = true
        side.socket.shutdownSending()
    }

    /// Makes the client's request name the server instead of the proxy.
    private mutating func renamed(_ bytes: [UInt8]) -> [UInt8] {
        guard var head else { return bytes }
        // From just before the new bytes: the head's end may be split across two pieces.
        let start = max(0, head.count - 3)
        head += bytes
        guard let end = HeaderRedactor.end(of: head, from: start) else {
            self.head = head.count > WireLimits.headByteCount ? nil : head
            return self.head == nil ? head : []
        }
        self.head = nil
        let lines = String(decoding: head[..<end], as: UTF8.self).split(
            separator: "\r\n",
            omittingEmptySubsequences: false
        )
        let renamed = lines.map { line in
            line.lowercased().hasPrefix("host:") ? "Host: \(hostHeader)" : String(line)
        }
        return Array(renamed.joined(separator: "\r\n").utf8) + head[end...]
    }
}
