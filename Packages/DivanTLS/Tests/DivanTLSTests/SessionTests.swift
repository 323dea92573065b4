import DivanTLS
import DivanTestKit
import Testing

/// Two sessions in memory: what one sends the other receives, however the bytes are split.
@Suite struct SessionTests {
    let identity: TLSCredential
    let clientContext: TLSContext
    let serverContext: TLSContext

    init() throws {
        identity = try Sample.server()
        clientContext = try .client(ClientTLSConfiguration(serverTrust: .pinned(identity.leaf)))
        serverContext = try .server(ServerTLSConfiguration(credential: identity))
    }

    func openPair() throws -> SessionPair {
        let pair = try SessionPair(client: clientContext, server: serverContext)
        pair.run()
        return pair
    }

    @Test func `sends data both ways over TLS 1.3 with a fast cipher suite`() throws {
        let pair = try openPair()
        try pair.client.send("ping")
        try pair.server.send("pong")
        pair.run()

        #expect(pair.clientReceived == Array("pong".utf8))
        #expect(pair.serverReceived == Array("ping".utf8))
        #expect(pair.client.protocolVersion == "TLSv1.3")
        #expect(pair.server.cipherName == "TLS_AES_128_GCM_SHA256")
        #expect(pair.client.peerCertificates == [identity.leaf])
        #expect(pair.server.peerCertificates == [])
    }

    @Test func `prefers the same fast cipher with TLS 1.2`() throws {
        let client = ClientTLSConfiguration(
            serverTrust: .pinned(identity.leaf),
            versions: .tls12 ... .tls12
        )
        let server = ServerTLSConfiguration(credential: identity)
        let pair = try SessionPair(client: client, server: server)
        pair.run()
        #expect(pair.client.protocolVersion == "TLSv1.2")
        #expect(pair.server.cipherName == "ECDHE-ECDSA-AES128-GCM-SHA256")
    }

    @Test func `completes the handshake however it is split`() throws {
        let probe = try openPair()
        let longest = try #require(probe.flightByteCounts.max())
        // Signatures vary in length by a few bytes, so the last splits leave one piece whole.
        for cut in 0...longest {
            let pair = try SessionPair(client: clientContext, server: serverContext)
            pair.run { [$0.prefix(cut), $0.dropFirst(cut)] }
            #expect(pair.client.state == .open && pair.server.state == .open, "cut at \(cut)")
        }
    }

    @Test func `a close_notify during the handshake is an end, not a protocol error`() throws {
        let client = try TLSSession(clientContext, serverName: "localhost")
        let alert: [UInt8] = [0x15, 3, 3, 0, 2, 1, 0]
        var plaintext: [UInt8] = []
        let error = #expect(throws: TLSError.self) {
            try client.receive(alert.span, appendingTo: &plaintext)
        }
        #expect(error?.reason == .closedDuringHandshake)
    }

    @Test func `sends data byte by byte`() throws {
        let pair = try SessionPair(client: clientContext, server: serverContext)
        pair.run { $0.singles }
        var generator = SeededGenerator(seed: 1)
        let message = [UInt8].random(count: 40_000, using: &generator)
        try pair.server.send(message.span)
        pair.run { $0.singles }
        #expect(pair.clientReceived == message)
    }

    @Test(arguments: UInt64(0)..<TestLength.of(5, long: 20))
    func `sends messages of any length in pieces of any length`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let pair = try openPair()
        var sent: [UInt8] = []
        for _ in 0..<20 {
            let byteCount = Int.random(in: 0...40_000, using: &generator)
            let message = [UInt8].random(count: byteCount, using: &generator)
            try pair.client.send(message.span)
            sent += message
            if Bool.random(using: &generator) {
                pair.run { $0.pieces(longest: 20_000, using: &generator) }
            }
        }
        pair.run { $0.pieces(longest: 50_000, using: &generator) }
        #expect(pair.serverReceived == sent, "seed \(seed)")
    }

    @Test func `uses records of 16 KiB`() throws {
        let pair = try openPair()
        try pair.client.send([UInt8](repeating: 7, count: 1 << 20).span)
        var output: [UInt8] = []
        pair.client.takeOutput(appendingTo: &output)
        // 64 full records: 5 bytes header, 1 of type, 16 of authentication each.
        #expect(output.count == 1 << 20 + 64 * 22)
    }

    @Test func `sends nothing for an empty message`() throws {
        let pair = try openPair()
        try pair.client.send("")
        #expect(!pair.client.hasOutput)
    }

    @Test func `appends output to the caller's buffer`() throws {
        let pair = try openPair()
        try pair.client.send("x")
        var output: [UInt8] = [1, 2, 3]
        pair.client.takeOutput(appendingTo: &output)
        #expect(output.starts(with: [1, 2, 3, 23, 3, 3]))
        #expect(!pair.client.hasOutput)
    }

    @Test func `refuses to send before the session is open and after it is closed`() throws {
        let pair = try SessionPair(client: clientContext, server: serverContext)
        let early = #expect(throws: TLSError.self) { try pair.client.send("early") }
        #expect(early?.reason == .notOpen)
        pair.run()
        pair.client.close()
        let late = #expect(throws: TLSError.self) { try pair.client.send("late") }
        #expect(late?.reason == .notOpen)
    }
}

/// A proper end and a broken connection are distinguished.
extension SessionTests {
    @Test func `treats close_notify as a clean end`() throws {
        let pair = try openPair()
        try pair.client.send("last words")
        pair.client.close()
        pair.client.close()
        pair.run()
        #expect(pair.serverReceived == Array("last words".utf8))
        #expect(pair.server.state == .closed)
        #expect(throws: Never.self) { try pair.server.receiveEnd() }
    }

    @Test func `receives data after its own close until the peer closes`() throws {
        let pair = try openPair()
        pair.client.close()
        try pair.server.send("answer")
        pair.run()
        #expect(pair.clientReceived == Array("answer".utf8))
        #expect(pair.client.state == .open)
        pair.server.close()
        pair.run()
        #expect(pair.client.state == .closed)
    }

    @Test func `treats an end without close_notify as truncation`() throws {
        let pair = try openPair()
        let error = #expect(throws: TLSError.self) { try pair.server.receiveEnd() }
        #expect(error?.reason == .truncated)
        #expect(error?.networkCode == nil)
        #expect(pair.server.state == .closed)
    }

    @Test func `treats an end during the handshake as a reset`() throws {
        let session = try TLSSession(serverContext)
        let error = #expect(throws: TLSError.self) { try session.receiveEnd() }
        #expect(error?.reason == .closedDuringHandshake)
        #expect(error?.networkCode == nil)
    }

    @Test func `ignores bytes after close_notify`() throws {
        let pair = try openPair()
        pair.client.close()
        pair.run()
        var plaintext: [UInt8] = []
        try pair.server.receive([1, 2, 3].span, appendingTo: &plaintext)
        #expect(plaintext == [])
    }
}

/// Peers that speak another protocol, or violate the one they speak.
extension SessionTests {
    func failure(of session: TLSSession, fed bytes: [UInt8]) -> TLSError? {
        var plaintext: [UInt8] = []
        do {
            try session.receive(bytes.span, appendingTo: &plaintext)
            return nil
        } catch {
            return error
        }
    }

    @Test func `detects HTTP on the TLS port`() throws {
        let request = Array("GET /db/_blipsync HTTP/1.1\r\nHost: h\r\n\r\n".utf8)
        let error = failure(of: try TLSSession(serverContext), fed: request)
        #expect(error?.reason == .plaintextHTTP)
        #expect(
            error?.description
                == "TLS from a client: the peer uses plain HTTP, not TLS; "
                + "use wss on both sides, or ws on both"
        )
    }

    @Test func `detects a server that answers with HTTP`() throws {
        let answer = Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)
        let session = try TLSSession(clientContext, serverName: "localhost")
        #expect(failure(of: session, fed: answer)?.reason == .plaintextHTTP)
    }

    @Test func `detects data that is not TLS`() throws {
        let error = failure(of: try TLSSession(serverContext), fed: Array("SSH-2.0-x\r\n".utf8))
        #expect(error?.reason == .notTLS(firstBytes: Array("SSH-2.0-".utf8)))
        #expect(error?.networkCode == 6)
        #expect(error?.description.contains("5353482d322e302d") == true)
    }

    @Test(arguments: [("localhost", true), ("127.0.0.1", false), ("[::1]", false)])
    func `the first message contains the server name, but not an IP address`(
        host: String,
        isNamed: Bool
    ) throws {
        let session = try TLSSession(clientContext, serverName: host)
        var hello: [UInt8] = []
        session.takeOutput(appendingTo: &hello)
        // Extension 0 with one name: list, type 0, length, then the name itself.
        let name = Array("localhost".utf8)
        let serverName: [UInt8] = [0, 0, 0, 14, 0, 12, 0, 0, 9] + name
        #expect((hello.firstRange(of: serverName) != nil) == isNamed)
        #expect((hello.firstRange(of: Array(host.utf8)) != nil) == isNamed)
    }

    @Test func `refuses a record above the limit before it has arrived`() throws {
        let pair = try openPair()
        let header: [UInt8] = [23, 3, 3, 0x41, 0x01]  // 2¹⁴ + 257 bytes follow, one too many
        guard case .record = failure(of: pair.server, fed: header + [0])?.reason else {
            Issue.record("accepted")
            return
        }
        #expect(pair.server.state == .closed)
    }

    @Test func `waits for the rest of an incomplete first message`() throws {
        let client = try TLSSession(clientContext, serverName: "localhost")
        var hello: [UInt8] = []
        client.takeOutput(appendingTo: &hello)
        let server = try TLSSession(serverContext)
        #expect(failure(of: server, fed: Array(hello.dropLast())) == nil)
        #expect(server.state == .handshaking && !server.hasOutput)
    }

    @Test func `refuses a damaged record and everything after it`() throws {
        let pair = try openPair()
        try pair.client.send("good")
        try pair.client.send("bad")
        var output: [UInt8] = []
        pair.client.takeOutput(appendingTo: &output)
        output[output.count - 1] ^= 1
        var plaintext: [UInt8] = []
        let first = #expect(throws: TLSError.self) {
            try pair.server.receive(output.span, appendingTo: &plaintext)
        }
        #expect(plaintext == Array("good".utf8))
        guard case .record = first?.reason else {
            Issue.record("\(String(describing: first))")
            return
        }
        let again = #expect(throws: TLSError.self) {
            try pair.server.receive([1].span, appendingTo: &plaintext)
        }
        #expect(again == first)
        #expect(pair.server.hasOutput, "the alert for the peer")
    }

    @Test(arguments: UInt64(0)..<300)
    func `damaged handshakes give a session or an error`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let pair = try SessionPair(client: clientContext, server: serverContext)
        var countdown = Int.random(in: 0...2, using: &generator)
        pair.run { flight in
            var flight = flight
            if countdown == 0, !flight.isEmpty {
                let damaged = Int.random(in: flight.indices, using: &generator)
                flight[damaged] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            }
            countdown -= 1
            return flight.pieces(longest: 100, using: &generator)
        }
        // A damaged session may wait for more, but it never carries forged data.
        #expect(pair.clientReceived == [] && pair.serverReceived == [], "seed \(seed)")
        if pair.client.state == .open, pair.server.state == .open, pair.serverError == nil {
            try pair.client.send("ping")
            pair.run()
            #expect(pair.serverReceived == Array("ping".utf8), "seed \(seed)")
        }
    }
}
