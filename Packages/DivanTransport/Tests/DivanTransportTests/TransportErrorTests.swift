import DivanPlatform
import DivanTransport
import DivanWebSocket
import Testing

@Suite struct TransportErrorTests {
    @Test(arguments: table)
    func `each error has the documented code`(
        reason: TransportError.Reason,
        code: TransportError.Code
    ) {
        let error = TransportError(reason, place: "ws://h:80/db")
        #expect(error.code == code)
        #expect(error.description.hasPrefix("ws://h:80/db: "))
        #expect(error.description.contains("; "))
    }

    @Test
    func `line breaks from a server do not reach the log`() {
        let reason = TransportError.Reason.refused(
            status: 500,
            explanation: "a\n2026-11-20 forged",
            headers: [:]
        )
        #expect(!TransportError(reason, place: "x").description.contains("\n"))
    }

    @Test
    func `formats addresses in the usual notation`() throws {
        #expect(SocketAddress(host: "127.0.0.1", port: 80)?.description == "127.0.0.1:80")
        #expect(SocketAddress(host: "::1", port: 4984)?.description == "[::1]:4984")
        #expect(SocketAddress(host: "::ffff:10.0.0.1", port: 1)?.description == "10.0.0.1:1")
        #expect(SocketAddress(host: "localhost", port: 1) == nil)
        #expect(SocketAddress(host: "::1", port: 1) == SocketAddress(host: "0::1", port: 1))
    }
}

/// One row for each reason, numbered as in the protocol sheets.
private let table: [(TransportError.Reason, TransportError.Code)] = [
    (.nameLookup(code: -3), .network(1)),
    (.unknownHost("h"), .network(2)),
    (.timeout(.connection), .network(3)),
    (.timeout(.pong), .network(3)),
    (.timeout(.closeEcho), .network(3)),
    (.timeout(.reading), .network(3)),
    (.tooManyRedirects(limit: 10), .network(5)),
    (.invalidRedirect("x"), .network(12)),
    (.unknownInterface("x"), .network(27)),
    (.system(call: "connect", errno: 111), .posix(111)),
    (.handshake(HandshakeError(reason: .head(.notHTTP(start: "x")))), .webSocket(400)),
    (.handshake(HandshakeError(reason: .head(.head(limit: 1)))), .webSocket(431)),
    (.handshake(HandshakeError(reason: .status(200))), .webSocket(1002)),
    (.handshake(HandshakeError(reason: .subprotocol("x"))), .webSocket(403)),
    (.handshake(HandshakeError(reason: .head(.tlsRecord))), .webSocket(1006)),
    (.refused(status: 503, explanation: "x", headers: [:]), .webSocket(503)),
    (.abnormalClose, .webSocket(1006)),
]
