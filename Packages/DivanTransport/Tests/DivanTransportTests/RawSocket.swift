import DivanPlatform
import DivanTestKit
import DivanWebSocket
import Synchronization

/// A plain blocking socket, for peers that break the rules.
///
/// Every wait ends after ten seconds, so that a test fails instead of hanging.
final class RawSocket: Sendable {
    let socket: Socket
    private let lastError = Mutex<Errno>(.none)

    /// What broke the connection during a receive; `.none` if nothing did.
    var failure: Errno { lastError.withLock { $0 } }

    fileprivate init(_ socket: Socket) {
        self.socket = socket
        socket.setTimeouts(receiving: 10)
    }

    /// Connects to a local port, from 127.0.0.`source`.
    convenience init?(port: UInt16, source: UInt8 = 1) {
        guard let own = SocketAddress(host: "127.0.0.\(source)", port: 0),
            let server = SocketAddress(host: "127.0.0.1", port: port),
            let socket = try? Socket(family: .ipv4, isBlocking: true)
        else { return nil }
        do {
            try socket.bind(to: own)
            try socket.connectBlocking(to: server)
        } catch {
            socket.close()
            return nil
        }
        self.init(socket)
    }

    deinit {
        socket.close()
    }

    func send(_ bytes: [UInt8]) {
        socket.sendAll(bytes)
    }

    func send(_ text: String) {
        send(Array(text.utf8))
    }

    /// The next bytes; empty at the end of the stream, or if it broke.
    func receive() -> [UInt8] {
        do {
            return try socket.descriptor.read(upTo: 65_536)
        } catch {
            lastError.withLock { $0 = error.errno }
            return []
        }
    }

    /// Everything until the end of the stream.
    func receiveAll() -> [UInt8] {
        var all: [UInt8] = []
        while true {
            let piece = receive()
            if piece.isEmpty { return all }
            all += piece
        }
    }

    /// Like `receiveAll()`, on a thread of its own.
    ///
    /// For tests: one that waits must not hold a thread that all tests share.
    func received() async -> [UInt8] {
        await withCheckedContinuation { continuation in
            _ = startThread(name: "raw") { continuation.resume(returning: self.receiveAll()) }
        }
    }

    /// Like `receiveHead()`, on a thread of its own.
    func receivedHead() async -> String {
        await withCheckedContinuation { continuation in
            _ = startThread(name: "raw") { continuation.resume(returning: self.receiveHead()) }
        }
    }

    /// Everything up to and including the end of a head.
    func receiveHead() -> String {
        var head = ""
        while !head.contains("\r\n\r\n") {
            let piece = receive()
            if piece.isEmpty { break }
            head += String(decoding: piece, as: UTF8.self)
        }
        return head
    }

    /// Reads an upgrade request and accepts it.
    func acceptUpgrade() {
        var handshake = ServerHandshake()
        let head = Array(receiveHead().utf8)
        handshake.receive(head.span)
        guard let request = try? handshake.next(),
            let answer = try? request.accept(subprotocol: request.subprotocols.first)
        else { return }
        send(answer)
    }

    /// Returns when the other end's system has received everything sent, or the connection broke.
    func waitUntilTaken() {
        while let count = socket.unconfirmedByteCount, count > 0 { CurrentThread.yield() }
    }

    /// Ends this direction; the other end may continue.
    func endSending() {
        socket.shutdownSending()
    }

    /// Ends the connection with a reset.
    func reset() {
        socket.resetAtClose()
        socket.shutdownBoth()
    }
}

/// A plain server that passes each connection to a closure, on a thread of its own.
final class RawServer: Sendable {
    let port: UInt16
    private let socket: Socket

    init(_ serve: @escaping @Sendable (RawSocket) -> Void) throws {
        let (socket, port) = try Loopback.listen()
        (self.socket, self.port) = (socket, port)
        _ = startThread(name: "raw server") {
            while let accepted = try? socket.acceptBlocking() {
                let connection = RawSocket(accepted)
                _ = startThread(name: "raw socket") { serve(connection) }
            }
            // Here and not in `deinit`, because `accept` might be called on another's.
            socket.close()
        }
    }

    deinit {
        socket.shutdownBoth()
    }
}

/// A valid upgrade request, as text.
let upgradeText = """
    GET /db/_blipsync HTTP/1.1\r
    Host: h\r
    Connection: Upgrade\r
    Upgrade: websocket\r
    Sec-WebSocket-Version: 13\r
    Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
    Sec-WebSocket-Protocol: BLIP_3+CBMobile_3\r
    \r

    """
