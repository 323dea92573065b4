import Dispatch
import DivanPlatform
import DivanTransport
import DivanWebSocket
import Synchronization
import Testing

/// How open connections end.
@Suite(.timeLimit(.minutes(5))) struct ClosingTests {
    @Test
    func `the client gets the close code and reason of the server`() async throws {
        let server = try TestServer()
        let (_, recorder) = await opened(client(port: server.port))
        let accepted = try #require(server.connections.all.first)
        accepted.transport.close(code: 4001, reason: "later")
        #expect(await recorder.end().goodbye == "4001 later true")
        #expect(await accepted.recorder.end().goodbye == "4001 later false")
        #expect(await onLoop(accepted.transport) { server.server.connectionCount } == 0)
    }

    @Test
    func `sends queued messages before the close`() async throws {
        let server = try TestServer(echoes: false)
        let transport = client(port: server.port)
        let messages = (0..<50).map { pattern(10_000, seed: $0) }
        let recorder = Recorder(
            onOpen: {
                for message in messages { transport.send(message) }
                transport.close(code: 1000, reason: "")
                transport.send([9])  // may come before the goodbye, never instead of it
            }
        )
        transport.start(recorder)
        await recorder.end()
        let accepted = try #require(server.connections.all.first)
        let events = await accepted.recorder.end()
        #expect(events.messages.prefix(50).elementsEqual(messages))
        #expect(events.goodbye == "1000  true")
    }

    @Test(arguments: [false, true])
    func `reports a broken connection`(isReset: Bool) async throws {
        let server = try RawServer { socket in
            socket.acceptUpgrade()
            if isReset { socket.reset() }
        }
        let recorder = Recorder()
        let transport = client(port: server.port)
        transport.start(recorder)
        let error = try #require(await recorder.end().error)
        let expected: [TransportError.Code] = [.webSocket(1006), .posix(104)]
        #expect(expected.contains(error.code), "\(error)")
    }

    /// The peer's messages, too many for one turn, are still unread when our answers meet a reset.
    @Test(arguments: [true, false])
    func `delivers messages that the peer sent before it disconnected`(
        saysGoodbye: Bool
    ) async throws {
        let long = [0x82, 126, 0x3E, 0x80] + [UInt8](repeating: 7, count: 16_000)
        let goodbye: [UInt8] = saysGoodbye ? [0x88, 2, 0x0F, 0xA1] : []
        let all = long + long + long + long + [0x82, 1, 7] + goodbye
        for _ in 0..<8 {
            let isGone = DispatchSemaphore(value: 0)
            let server = try RawServer { socket in
                socket.acceptUpgrade()
                socket.send(all)
                socket.waitUntilTaken()
                socket.socket.shutdownBoth()
                isGone.signal()
            }
            let transport = client(port: server.port)
            let answer = pattern(200_000, seed: 1)
            let waits = Mutex(true)
            let recorder = Recorder(onMessage: { _ in
                if waits.withLock({ waits in
                    defer { waits = false }
                    return waits
                }) {
                    isGone.wait()
                }
                transport.send(answer)
            })
            transport.start(recorder)
            let events = await recorder.end()
            #expect(events.messages.count == 5)
            if saysGoodbye {
                #expect(events.goodbye == "4001  true")
            } else {
                let expected: [TransportError.Code] = [.webSocket(1006), .posix(104)]
                let code = try #require(events.error).code
                #expect(expected.contains(code), "\(code)")
            }
        }
    }

    @Test
    func `does not wait forever for the answer to a close`() async throws {
        let server = try RawServer { socket in
            socket.acceptUpgrade()
            while !socket.receive().isEmpty {}
        }
        let limits = TransportLimits(closeTimeout: .milliseconds(100))
        let (transport, recorder) = await opened(client(port: server.port, limits: limits))
        transport.close(code: 1000, reason: "")
        let error = try #require(await recorder.end().error)
        #expect(error.code == .network(3))
    }

    @Test
    func `closes with the code of the protocol violation`() async throws {
        let server = try TestServer()
        let raw = try #require(RawSocket(port: server.port))
        raw.send(upgradeText)
        _ = await raw.receivedHead()
        raw.send([0x82, 0x01, 0x41])  // not masked
        #expect(await raw.received() == [0x88, 0x02, 0x03, 0xEA])
        let accepted = try #require(server.connections.all.first)
        let error = try #require(await accepted.recorder.end().error)
        #expect(error.code == .webSocket(1002))
    }

    @Test
    func `stop sends a close code to every client, and the server can start again on its port`()
        async throws
    {
        let server = try TestServer()
        let clients = await withTaskGroup(of: Recorder.self) { group in
            for _ in 0..<8 { group.addTask { await opened(client(port: server.port)).1 } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let half = try #require(RawSocket(port: server.port))
        half.send("GET / HT")
        await server.stop(reason: "bye")
        for recorder in clients { #expect(await recorder.end().goodbye == "1001 bye true") }
        #expect(await half.received().isEmpty)
        #expect(server.server.port == nil)
        #expect(server.server.connectionCount == 0)
        #expect(RawSocket(port: server.port) == nil)

        let configuration = WebSocketServer.Configuration(
            networkInterface: "127.0.0.1",
            port: server.port
        )
        let next = WebSocketServer(configuration, log: quiet) { request in
            request.refuse(HandshakeRefusal(status: 403))
        }
        #expect(try next.start() == server.port)
        #expect(try next.start() == server.port)
        #expect(try await failure(of: client(port: server.port)).code == .webSocket(403))
        next.stop()
    }

    @Test
    func `stop frees the port immediately, while closes are still being sent`() async throws {
        let server = try TestServer()
        let (_, recorder) = await opened(client(port: server.port))
        server.server.stop()
        #expect(RawSocket(port: server.port) == nil)
        let next = try TestServer(port: server.port)
        #expect(next.port == server.port)
        #expect(await recorder.end().goodbye == "1001  true")
    }

    /// Otherwise clients that try IPv6 first would reach whoever has the port there.
    @Test func `does not fall back to IPv4 if the IPv6 port is in use`() throws {
        // No IPv6 on this machine.
        guard let address = SocketAddress(host: "::1", port: 0),
            let socket = try? Socket(family: .ipv6)
        else { return }
        defer { socket.close() }
        do {
            try socket.bind(to: address)
        } catch {
            return
        }
        try socket.listen(backlog: 1)
        let port = try #require(socket.localAddress()).port
        let server = WebSocketServer(.init(port: port), log: quiet) { _ in }
        let error = #expect(throws: TransportError.self) { try server.start() }
        #expect(error?.code == .posix(98))
    }

    @Test
    func `reports a port that is in use`() throws {
        let server = try TestServer()
        let configuration = WebSocketServer.Configuration(
            networkInterface: "127.0.0.1",
            port: server.port
        )
        let second = WebSocketServer(configuration, log: quiet) { _ in }
        let error = #expect(throws: TransportError.self) { try second.start() }
        #expect(error?.code == .posix(98))
        #expect(error?.description.contains("choose another port") == true)
    }
}

/// Starts a transport and returns it with its receiver once both ends are open.
func opened(
    _ transport: WebSocketClientTransport
) async -> (WebSocketClientTransport, Recorder) {
    let recorder = Recorder()
    transport.start(recorder)
    await recorder.wait { $0.peer != nil || $0.close != nil }
    return (transport, recorder)
}
