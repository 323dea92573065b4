import DivanPlatform
import DivanWebSocket
import Synchronization
import Testing

@testable import DivanTransport

/// Hostile clients, and a server that continues to serve the others.
@Suite(.timeLimit(.minutes(5))) struct HostileClientTests {
    @Test(arguments: ["", "G", "GET /db/_blipsync HTTP/1.1\r\nHost: h\r\n"])
    func `disconnects a client that never completes its request`(start: String) async throws {
        let server = try TestServer(limits: .init(handshakeTimeout: .milliseconds(100)))
        let raw = try #require(RawSocket(port: server.port))
        raw.send(start)
        #expect(await raw.received().isEmpty)
        try await expectService(server)
    }

    /// A byte at a time, none of them late: only the whole request has a deadline.
    @Test
    func `disconnects a client that sends its request too slowly`() async throws {
        let server = try TestServer(limits: .init(handshakeTimeout: .milliseconds(300)))
        let raw = try #require(RawSocket(port: server.port))
        let start = ContinuousClock.now
        drip(Array(upgradeText.utf8), through: raw)
        #expect(await raw.received().isEmpty)
        #expect(ContinuousClock.now - start >= .milliseconds(290))
        try await expectService(server)
    }

    /// A first message that announces 512 bytes and sends a few of them, one by one.
    @Test
    func `disconnects a client that sends its TLS hello too slowly`() async throws {
        let tls = try TestTLS()
        let limits = TransportLimits(handshakeTimeout: .milliseconds(300))
        let server = try TestServer(tls: tls.server, limits: limits)
        let raw = try #require(RawSocket(port: server.port))
        let start = ContinuousClock.now
        drip([0x16, 3, 1, 2, 0, 1, 0, 1, 0xFC] + [UInt8](repeating: 3, count: 200), through: raw)
        #expect(await raw.received().isEmpty)
        #expect(ContinuousClock.now - start >= .milliseconds(290))
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\n\r\n", "\u{16}\u{3}\u{1}\u{0}\u{2}ab", "no hello at all\n",
    ])
    func `an invalid TLS hello ends only its own connection`(text: String) async throws {
        let tls = try TestTLS()
        let server = try TestServer(tls: tls.server)
        let raw = try #require(RawSocket(port: server.port))
        raw.send(text)
        _ = await raw.received()
        let (transport, recorder) = await opened(client(port: server.port, tls: tls.client))
        transport.close(code: 1000, reason: "")
        await recorder.end()
    }

    @Test
    func `refuses a client whose request is never decided`() async throws {
        let limits = TransportLimits(decisionTimeout: .milliseconds(100))
        let server = try TestServer(limits: limits) { _ in false }
        let raw = try #require(RawSocket(port: server.port))
        raw.send(upgradeText)
        #expect(await raw.receivedHead().contains("503"))
    }

    @Test
    func `a decision may take longer than the handshake before it`() async throws {
        let limits = TransportLimits(handshakeTimeout: .milliseconds(300))
        let server = try TestServer(limits: limits) { request in
            let loop = request.loop
            _ = loop.schedule(at: loop.now + .milliseconds(600)) {
                request.refuse(HandshakeRefusal(status: 418, explanation: "late"))
            }
            return false
        }
        let raw = try #require(RawSocket(port: server.port))
        raw.send(upgradeText)
        #expect(await raw.receivedHead().contains("418"))
    }

    @Test
    func `disconnects the oldest of too many unfinished handshakes`() async throws {
        let server = try TestServer(limits: .init(halfOpenCount: 8))
        let flood = (0..<40).compactMap { _ in RawSocket(port: server.port) }
        #expect(flood.count == 40)
        #expect(await flood[0].received().isEmpty)
        try await expectService(server)
    }

    @Test(arguments: [
        ("POST /db HTTP/1.1\r\n\r\n", "405"), ("nonsense\r\n\r\n", "400"),
        ("GET / HTTP/1.1\n\n", "400"),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "400"), ("\u{16}\u{3}\u{1}\u{0}\u{5}hello", "400"),
        ("GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "400"),
        ("GET / HTTP/1.1\r\nX: \(String(repeating: "x", count: 20_000))\r\n\r\n", "431"),
        ("GET / HTTP/1.1\r\n\(String(repeating: "a: b\r\n", count: 101))\r\n", "431"),
    ])
    func `answers an invalid request with its status`(text: String, status: String) async throws {
        let server = try TestServer()
        let raw = try #require(RawSocket(port: server.port))
        raw.send(text)
        let answer = String(decoding: await raw.received(), as: UTF8.self)
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
        #expect(answer.contains("Connection: close"))
        try await expectService(server)
    }

    @Test
    func `survives a flood of pings from a client that reads nothing`() async throws {
        let server = try TestServer()
        let raw = try #require(RawSocket(port: server.port))
        raw.send(upgradeText)
        _ = await raw.receivedHead()
        let ping: [UInt8] = [0x89, 0x84, 0, 0, 0, 0, 1, 2, 3, 4]
        raw.send([UInt8](repeatElement(ping, count: 100_000).joined()))
        raw.send([0x88, 0x80, 0, 0, 0, 0])
        let accepted = try #require(server.connections.all.first)
        #expect(await accepted.recorder.end().goodbye == "1005  true")
        try await expectService(server)
    }

    @Test
    func `disconnects a client that sends requests and never reads the answers`() async throws {
        let limits = TransportLimits(
            stallTimeout: .milliseconds(200),
            highWaterByteCount: 1 << 16,
            lowWaterByteCount: 1 << 14,
            queuedByteCount: 1 << 17
        )
        let server = try TestServer(limits: limits)
        let raw = try #require(RawSocket(port: server.port))
        raw.send(upgradeText)
        _ = await raw.receivedHead()
        let sending = Task.detached {
            let message = [0x82, 0xFF, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0] + pattern(1 << 19)
            for _ in 0..<100 { raw.send(message) }
        }
        let accepted = try #require(server.connections.all.first)
        let error = try #require(await accepted.recorder.end().error)
        #expect(error.code == .network(3) || error.code == .posix(104), "\(error)")
        await sending.value
        try await expectService(server)
    }

    @Test
    func `accepts no more connections than the limit`() async throws {
        let server = try TestServer(limits: .init(connectionCount: 2))
        let (_, first) = await opened(client(port: server.port))
        let (second, _) = await opened(client(port: server.port))
        let error = try await failure(of: client(port: server.port))
        #expect([.webSocket(1006), .posix(104)].contains(error.code), "\(error)")
        second.close(code: 1000, reason: "")
        let closed = try #require(server.connections.all.last)
        await closed.recorder.end()
        await onLoop(closed.transport) {}  // behind the turn that counts it out
        try await expectService(server)
        #expect(first.events.close == nil)
    }

    /// All are asked about before any is admitted: checking the count first and counting later would admit them all.
    @Test
    func `accepts no more connections than the limit, even if many arrive at once`() async throws {
        let waiting = Mutex<[UpgradeRequest]>([])
        let server = try TestServer(limits: .init(connectionCount: 3)) { request in
            waiting.withLock { $0.append(request) }
            return false
        }
        let crowd = try (0..<24).map { _ in try #require(RawSocket(port: server.port)) }
        for raw in crowd { raw.send(upgradeText) }
        while waiting.withLock({ $0.count }) < crowd.count { await Task.yield() }
        for request in waiting.withLock({ $0 }) {
            request.accept(subprotocol: "BLIP_3+CBMobile_3") { $0.start(Recorder()) }
        }
        var heads: [String] = []
        for raw in crowd { heads.append(await raw.receivedHead()) }
        #expect(heads.count { $0.hasPrefix("HTTP/1.1 101 ") } == 3)
        #expect(heads.count { $0.hasPrefix("HTTP/1.1 503 ") } == crowd.count - 3)
        #expect(server.server.connectionCount == 3)
        #expect(server.server.refusedConnectionCount == UInt64(crowd.count - 3))
    }

    /// In a process of its own, because it lowers the limit of open files.
    @Test
    func `continues after running out of file descriptors`() async {
        await #expect(processExitsWith: .success) {
            let server = try TestServer(limits: .init(acceptPause: .milliseconds(100)))
            try await expectService(server)
            limitDescriptors(to: descriptorCount() + 20)
            do {
                // Twelve connections need 24 here: the server has to leave some in the queue.
                let flood = (0..<12).compactMap { _ in RawSocket(port: server.port) }
                for raw in flood { raw.send("GET / HTTP/1.1\r\n") }
            }
            try await expectService(server)
        }
    }

    /// In a process of its own, because it lowers the limit of open files.
    @Test
    func `leaves some file descriptors for the rest of the program`() async {
        await #expect(processExitsWith: .success) {
            let server = try TestServer(limits: .init(acceptPause: .milliseconds(100)))
            try await expectService(server)
            let room = 80
            limitDescriptors(to: descriptorCount() + room)
            do {
                // Each needs two here.
                let flood = (0..<room / 2 - 1).compactMap { _ in RawSocket(port: server.port) }
                for raw in flood { raw.send("GET / HTTP/1.1\r\n") }
                // As long as the server takes more.
                var (count, stillCount) = (0, 0)
                while stillCount < 2_000 {
                    let current = descriptorCount()
                    stillCount = current == count ? stillCount + 1 : 0
                    count = current
                    await Task.yield()
                }
                let files = try (0..<6).map { _ in try FileDescriptor.open("/dev/null", .readOnly) }
                for file in files { file.close() }
            }
            try await expectService(server)
        }
    }

    @Test
    func `an error of one queued connection does not stop accepting others`() {
        for error: Errno in [.connectionAbort, .noRouteToHost, .networkUnreachable, .notPermitted] {
            #expect(Socket.concernsOneConnection(error))
        }
        for error: Errno in [
            .tooManyOpenFiles, .tooManyOpenFilesInSystem, .noBufferSpace, .noMemory,
            .badFileDescriptor, .invalidArgument,
        ] {
            #expect(!Socket.concernsOneConnection(error))
        }
    }

    /// In a process of its own, so that its descriptors can be counted.
    @Test
    func `keeps a limited number of refused connections open`() async {
        await #expect(processExitsWith: .success) {
            let loops = EventLoopGroup(count: 1)
            let server = WebSocketServer(
                .init(networkInterface: "127.0.0.1", limits: .init(closeTimeout: .seconds(100))),
                loops: loops,
                log: quiet
            ) { $0.refuse(.init(status: 404)) }
            let port = try server.start()
            var (before, refused) = (0, [RawSocket]())
            for number in 0..<LingeringStreams.limit + 60 {
                let raw = try #require(RawSocket(port: port))
                raw.send(number.isMultiple(of: 2) ? "nonsense\r\n\r\n" : upgradeText)
                #expect(!raw.receiveAll().isEmpty)
                refused.append(raw)
                // After one answer the server has opened all that it needs; two are the first connection's.
                if number == 0 { before = descriptorCount() - 2 }
            }
            let expected = before + refused.count + LingeringStreams.limit
            #expect(await descriptorsFall(to: expected))
            withExtendedLifetime((server, refused)) {}
        }
    }

    /// In a process of its own, so that its descriptors can be counted.
    @Test
    func `releases every file descriptor`() async {
        await #expect(processExitsWith: .success) {
            let server = try TestServer(limits: .init(closeTimeout: .seconds(2)))
            try await expectService(server)
            let before = descriptorCount()
            for _ in 0..<20 {
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<50 {
                        group.addTask {
                            let (transport, recorder) = await opened(client(port: server.port))
                            transport.close(code: 1000, reason: "")
                            await recorder.end()
                        }
                    }
                }
            }
            #expect(server.connections.all.count == 1001)
            for connection in server.connections.all { await connection.recorder.end() }
            #expect(await descriptorsFall(to: before))
        }
    }
}

/// Sends one byte now and the rest byte by byte, fifty per second.
private func drip(_ bytes: [UInt8], through raw: RawSocket) {
    guard let first = bytes.first else { return }
    raw.send([first])
    let loop = EventLoopGroup.shared.next()
    loop.schedule(at: loop.now + .milliseconds(20)) { drip(Array(bytes.dropFirst()), through: raw) }
}

/// Opens, echoes and closes one connection.
///
/// Retries if it fails: on a busy machine even a proper client may be slower than the short time-outs of a test.
func expectService(_ server: TestServer) async throws {
    for _ in 0..<100 {
        let transport = client(port: server.port)
        let recorder = Recorder(onOpen: { transport.send([1, 2, 3]) })
        transport.start(recorder)
        let events = await recorder.wait { $0.messages.count == 1 || $0.close != nil }
        transport.close(code: 1000, reason: "")
        await recorder.end()
        if events.messages == [[1, 2, 3]] { return }
    }
    Issue.record("a proper client was not served in a hundred attempts")
}
