import Dispatch
import DivanPlatform
import DivanTLS
import DivanTransport
import DivanWebSocket
import Synchronization
import Testing

/// Everything that can happen before a connection is open, and what is reported to the application.
@Suite(.timeLimit(.minutes(5))) struct OpeningTests {
    @Test(arguments: [400, 401, 403, 404, 407, 426, 429, 500, 503])
    func `reports a refusal with its status and the message of the server`(status: Int) async throws
    {
        let server = try TestServer { request in
            let refusal = HandshakeRefusal(
                status: status,
                headers: ["Set-Cookie": "a=b"],
                explanation: "because \(status)"
            )
            request.refuse(refusal)
            return false
        }
        let error = try await failure(of: client(port: server.port))
        #expect(error.code == .webSocket(status))
        guard case .refused(_, let explanation, let headers) = error.reason else {
            Issue.record("\(error)")
            return
        }
        #expect(explanation == "because \(status)")
        #expect(headers["Set-Cookie"] == "a=b")
        #expect(error.description.contains("because \(status)"))
    }

    @Test
    func `waits for a decision made on another thread`() async throws {
        let server = try TestServer { request in
            DispatchQueue.global().async {
                request.refuse(HandshakeRefusal(status: 403, explanation: "later"))
                request.refuse(HandshakeRefusal(status: 500, explanation: "ignored"))
            }
            return false
        }
        #expect(try await failure(of: client(port: server.port)).code == .webSocket(403))
    }

    @Test
    func `refuses an accepted request that is not an upgrade`() async throws {
        let server = try TestServer()
        let raw = try #require(RawSocket(port: server.port))
        raw.send("GET /db HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(await raw.receivedHead().hasPrefix("HTTP/1.1 426 "))
    }

    // MARK: Redirects

    @Test
    func `follows redirects and does not send credentials to other hosts`() async throws {
        let seen = Mutex<[String]>([])
        let target = try TestServer { request in
            seen.withLock { $0.append(request.handshake.headers["Authorization"] ?? "none") }
            return true
        }
        let port = target.port
        let first = try TestServer { request in
            let isSame = request.handshake.path == "/same"
            let location = isSame ? "/again" : "http://localhost:\(port)/x"
            seen.withLock { $0.append(request.handshake.headers["Authorization"] ?? "none") }
            request.refuse(HandshakeRefusal(status: 302, headers: ["Location": location]))
            return false
        }
        let cookies = Mutex<Int>(0)
        var configuration = WebSocketClientTransport.Configuration(
            endpoint: try WebSocketEndpoint("ws://127.0.0.1:\(first.port)/same"),
            subprotocols: ["A"],
            headers: { _ in ["Authorization": "Basic x"] }
        )
        configuration.onResponse = { _, _ in cookies.withLock { $0 += 1 } }
        let transport = WebSocketClientTransport(configuration, log: quiet)
        let recorder = Recorder()
        transport.start(recorder)
        await recorder.wait { $0.peer != nil }
        #expect(seen.withLock { $0 } == ["Basic x", "Basic x", "none"])
        #expect(cookies.withLock { $0 } == 3)
        transport.close(code: 1000, reason: "")
        await recorder.end()
    }

    @Test
    func `a redirect to the same host in different case keeps credentials`() async throws {
        let seen = Mutex<[String]>([])
        let server = try TestServer { request in
            seen.withLock { $0.append(request.handshake.headers["Authorization"] ?? "none") }
            guard request.handshake.path == "/first" else { return true }
            let port = request.handshake.headers["Host"]?.split(separator: ":").last ?? ""
            let location = "http://localhost:\(port)/second"
            request.refuse(HandshakeRefusal(status: 302, headers: ["Location": location]))
            return false
        }
        let configuration = WebSocketClientTransport.Configuration(
            endpoint: try WebSocketEndpoint("ws://LocalHost:\(server.port)/first"),
            subprotocols: ["A"],
            headers: { _ in ["Authorization": "Basic x"] }
        )
        let transport = WebSocketClientTransport(configuration, log: quiet)
        let recorder = Recorder()
        transport.start(recorder)
        await recorder.wait { $0.peer != nil }
        #expect(seen.withLock { $0 } == ["Basic x", "Basic x"])
        transport.close(code: 1000, reason: "")
        await recorder.end()
    }

    @Test(arguments: [("/again", 5), ("ftp://h/x", 12), ("//h/x", 12)])
    func `gives up on redirect loops and invalid redirects`(
        location: String,
        code: Int
    ) async throws {
        let server = try TestServer { request in
            request.refuse(HandshakeRefusal(status: 307, headers: ["Location": location]))
            return false
        }
        #expect(try await failure(of: client(port: server.port)).code == .network(code))
    }

    @Test
    func `a redirect with an endless body ends with the connect timeout`() async throws {
        let count = Mutex(0)
        let server = try RawServer { socket in
            _ = socket.receiveHead()
            let isFirst = count.withLock { count in
                count += 1
                return count == 1
            }
            if isFirst {
                let head = "HTTP/1.1 302 Found\r\nLocation: /again\r\nContent-Type: text/plain"
                socket.send("\(head)\r\n\r\n")
            }
            // The second connection is accepted but receives nothing.
            _ = socket.receiveAll()
        }
        let limits = TransportLimits(connectTimeout: .milliseconds(150))
        let error = try await failure(of: client(port: server.port, limits: limits))
        #expect(error.code == .network(3))
        #expect(count.withLock { $0 } == 1)
    }

    // MARK: Network

    @Test
    func `reports a refused connection`() async throws {
        let server = try TestServer()
        let port = server.port
        await server.stop()
        let error = try await failure(of: client(port: port))
        #expect(error.code == .posix(Errno.connectionRefused.rawValue))
        #expect(error.description.contains("check that the peer is running"))
    }

    @Test
    func `reports an unknown host`() async throws {
        let error = try await failure(of: client(port: 1, host: "nobody.invalid"))
        #expect(error.code == .network(2))
        #expect(error.description.contains("nobody.invalid"))
    }

    @Test
    func `reports an unknown interface`() async throws {
        let error = try await failure(of: client(port: 1, interface: "nothing0"))
        #expect(error.code == .network(27))
        #expect(throws: TransportError.self) { try TestServer(interface: "nothing0") }
    }

    @Test
    func `gives up on a server that sends nothing`() async throws {
        let silent = try RawServer { socket in _ = socket.receiveAll() }
        let limits = TransportLimits(connectTimeout: .milliseconds(150))
        let error = try await failure(of: client(port: silent.port, limits: limits))
        #expect(error.code == .network(3))
        let tls = try TestTLS()
        let secure = client(port: silent.port, tls: tls.client, limits: limits)
        #expect(try await failure(of: secure).code == .network(3))
    }

    @Test
    func `closing before the start or while connecting prevents opening`() async throws {
        let silent = try RawServer { socket in _ = socket.receiveAll() }
        let early = client(port: silent.port)
        early.close(code: 1000, reason: "")
        let recorder = Recorder()
        early.start(recorder)
        #expect(await recorder.end().goodbye == "1000  false")

        let late = client(port: silent.port)
        let second = Recorder()
        late.start(second)
        late.close(code: 1001, reason: "no")
        #expect(await second.end().goodbye == "1001 no false")
        #expect(second.events.peer == nil)
    }

    // MARK: Wrong protocol

    @Test(arguments: [
        ("SSH-2.0-OpenSSH_9.2\r\n", 400), ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 1002),
        ("HTTP/1.1 101 Upgraded\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n", 1002),
        ("HTTP/1.1 101 X\r\nA: \(String(repeating: "x", count: 9000))\r\n\r\n", 431), ("", 1006),
    ])
    func `classifies servers that do not speak WebSocket`(answer: String, code: Int) async throws {
        let server = try RawServer { socket in
            _ = socket.receiveHead()
            socket.send(answer)
        }
        #expect(try await failure(of: client(port: server.port)).code == .webSocket(code))
    }

    @Test
    func `detects TLS behind a ws URL`() async throws {
        let tls = try TestTLS()
        let server = try TestServer(tls: tls.server)
        let error = try await failure(of: client(port: server.port))
        #expect(error.code == .webSocket(1006))
        #expect(error.description.contains("use a wss URL"))
    }

    @Test
    func `detects plain text behind a wss URL`() async throws {
        let server = try TestServer()
        let tls = try TestTLS()
        let error = try await failure(of: client(port: server.port, tls: tls.client))
        #expect(error.code == .network(6))
        #expect(error.description.contains("plain HTTP, not TLS"))
    }

    @Test
    func `returns the certificate that it refused`() async throws {
        let (mine, other) = (try TestTLS(), try TestTLS())
        let server = try TestServer(tls: mine.server)
        let transport = client(port: server.port, tls: other.client)
        #expect(try await failure(of: transport).code == .network(11))
        #expect(transport.peerCertificates == [mine.credential.leaf])
    }

    @Test
    func `reports that the server requires a client certificate`() async throws {
        let tls = try TestTLS()
        let demanding = try TLSContext.server(
            ServerTLSConfiguration(
                credential: tls.credential,
                clientCertificates: .callback { _ in true }
            )
        )
        let server = try TestServer(tls: demanding)
        let error = try await failure(of: client(port: server.port, tls: tls.client))
        #expect(error.code == .network(9))
    }
}

/// Starts a transport that must not open, and returns why.
func failure(of transport: WebSocketClientTransport) async throws -> TransportError {
    let recorder = Recorder()
    transport.start(recorder)
    let events = await recorder.end()
    #expect(events.peer == nil)
    return try #require(events.error)
}
