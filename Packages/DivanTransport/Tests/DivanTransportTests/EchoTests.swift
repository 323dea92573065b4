import DivanPlatform
import DivanTLS
import DivanTransport
import DivanWebSocket
import Testing

/// Real local sockets, with TLS and without.
@Suite(.timeLimit(.minutes(5))) struct EchoTests {
    @Test(arguments: [false, true])
    func `sends messages in both directions`(isSecure: Bool) async throws {
        let tls = isSecure ? try TestTLS() : nil
        let server = try TestServer(tls: tls?.server)
        let transport = client(
            port: server.port,
            headers: { _ in ["X-Test": "7"] },
            tls: tls?.client
        )
        let recorder = Recorder()
        transport.start(recorder)
        let opened = await recorder.wait { $0.peer != nil }
        #expect(opened.peer?.subprotocol == "BLIP_3+CBMobile_3")
        #expect(opened.peer?.address?.description == "127.0.0.1:\(server.port)")
        #expect(opened.peer?.certificates == (tls.map { [$0.credential.leaf] } ?? []))
        #expect(transport.peerCertificates == opened.peer?.certificates)

        let messages = [[], [1], pattern(200), pattern(100_000)]
        await onLoop(transport) { for message in messages { transport.send(message) } }
        let events = await recorder.wait { $0.messages.count == 4 }
        #expect(events.messages == messages)
        let accepted = try #require(server.connections.all.first)
        #expect(accepted.transport.peer.headers["X-Test"] == "7")
        #expect(accepted.transport.peer.address?.host == "127.0.0.1")
        #expect(server.server.connectionCount == 1)

        transport.close(code: 1000, reason: "done")
        #expect(await recorder.end().goodbye == "1000 done false")
        #expect(await accepted.recorder.end().goodbye == "1000 done true")
        #expect(transport.statistics.sentByteCount > 100_000)
        #expect(transport.statistics.receivedByteCount > 100_000)
    }

    @Test(arguments: [false, true])
    func `transfers the largest messages intact`(isSecure: Bool) async throws {
        let tls = isSecure ? try TestTLS() : nil
        let server = try TestServer(tls: tls?.server)
        let transport = client(port: server.port, tls: tls?.client)
        let message = pattern(1 << 20)
        let recorder = Recorder(onOpen: { for _ in 0..<3 { transport.send(message) } })
        transport.start(recorder)
        let events = await recorder.wait { $0.messages.count == 3 }
        #expect(events.messages.allSatisfy { $0 == message })
        transport.close(code: 1000, reason: "")
        await recorder.end()
    }

    @Test
    func `sends the messages of a turn together and delivers them in batches`() async throws {
        let server = try TestServer()
        let transport = client(port: server.port)
        let count = 5000
        let recorder = Recorder(
            keepsMessages: false,
            onOpen: { for number in 0..<count { transport.send([UInt8(number & 0xFF), 1, 2]) } }
        )
        transport.start(recorder)
        let events = await recorder.wait { $0.messageCount == count }
        #expect(events.batchCount < count / 20)
        transport.close(code: 1000, reason: "")
        await recorder.end()
    }

    @Test(arguments: [("localhost", nil), ("::1", nil), ("localhost", "127.0.0.1")])
    func `connects to names, IPv6 addresses and a single listening address`(
        host: String,
        interface: String?
    ) async throws {
        let server = try TestServer(interface: interface)
        let transport = client(port: server.port, host: host)
        let recorder = Recorder(onOpen: { transport.send([1]) })
        transport.start(recorder)
        #expect(await recorder.wait { $0.messages.count == 1 }.messages == [[1]])
        transport.close(code: 1000, reason: "")
        await recorder.end()
    }

    @Test
    func `connects from and listens on an interface given by name or address`() async throws {
        for interface in ["lo", "127.0.0.1"] {
            let server = try TestServer(interface: interface)
            let transport = client(port: server.port, interface: interface)
            let recorder = Recorder()
            transport.start(recorder)
            await recorder.wait { $0.peer != nil }
            transport.close(code: 1000, reason: "")
            await recorder.end()
        }
    }

    /// The server's loop is blocked: the client's queue stops growing and later empties.
    @Test(arguments: [false, true])
    func `stops sending to a slow reader`(isSecure: Bool) async throws {
        let tls = isSecure ? try TestTLS() : nil
        let server = try TestServer(tls: tls?.server, echoes: false)
        let transport = client(port: server.port, tls: tls?.client)
        let message = pattern(50_000)
        let total = 400
        let sender = Sender(transport, message, total: total)
        let recorder = Recorder(onWritable: { sender.fill() })
        transport.start(recorder)
        await recorder.wait { $0.peer != nil }
        let reader = try #require(server.connections.all.first)
        await onLoop(reader.transport) { reader.transport.setReadingPaused(true) }
        await onLoop(transport) { sender.fill() }
        // The system takes some megabytes; then nothing moves, turn after turn.
        var (sentCount, stillCount) = (0, 0)
        while stillCount < 200 {
            let count = await onLoop(transport) { sender.sentCount }
            stillCount = count == sentCount ? stillCount + 1 : 0
            sentCount = count
        }
        #expect(sentCount < total)
        #expect(await onLoop(transport) { !transport.isWritable })
        await onLoop(reader.transport) { reader.transport.setReadingPaused(false) }
        let events = await reader.recorder.wait { $0.messageCount == total }
        #expect(events.messages.allSatisfy { $0 == message })
        #expect(recorder.events.writableCount > 0)
        transport.close(code: 1000, reason: "")
        await recorder.end()
    }

    /// The pong is behind unread data, and the peer receives nothing else from us.
    @Test
    func `a paused reader does not lose a sender that waits longer than the heartbeat`()
        async throws
    {
        let beating = WebSocketConnection.Configuration(heartbeatInterval: .seconds(1))
        let server = try TestServer(echoes: false, webSocket: beating)
        let transport = client(port: server.port)
        let recorder = Recorder()
        transport.start(recorder)
        await recorder.wait { $0.peer != nil }
        let reader = try #require(server.connections.all.first)
        await onLoop(reader.transport) { reader.transport.setReadingPaused(true) }
        await onLoop(transport) { for _ in 0..<40 { transport.send(pattern(1_000)) } }
        await withCheckedContinuation { continuation in
            let loop = transport.loop
            _ = loop.schedule(at: loop.now + .milliseconds(3_500)) { continuation.resume() }
        }
        #expect(reader.recorder.events.close == nil)
        await onLoop(reader.transport) { reader.transport.setReadingPaused(false) }
        #expect(await reader.recorder.wait { $0.messageCount == 40 }.close == nil)
        transport.close(code: 1000, reason: "")
        await recorder.end()
    }

    @Test
    func `detects a peer that has become silent`() async throws {
        let silent = try RawServer { socket in
            socket.acceptUpgrade()
            while !socket.receive().isEmpty {}
        }
        let transport = client(
            port: silent.port,
            webSocket: .init(heartbeatInterval: .seconds(1))
        )
        let recorder = Recorder()
        transport.start(recorder)
        let error = try #require(await recorder.end().error)
        #expect(error.code == .network(3))
        #expect(error.description.contains("no response from the peer"))
    }
}

/// Sends as long as the transport can take more; on its loop.
private final class Sender: @unchecked Sendable {
    // Unchecked: touched only on the transport's loop, where the test and the receiver call it.
    private let transport: WebSocketClientTransport
    private let message: [UInt8]
    private let total: Int
    private(set) var sentCount = 0

    init(_ transport: WebSocketClientTransport, _ message: [UInt8], total: Int) {
        self.transport = transport
        self.message = message
        self.total = total
    }

    func fill() {
        while sentCount < total, transport.isWritable {
            transport.send(message)
            sentCount += 1
        }
    }
}
