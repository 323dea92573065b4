import DivanPlatform
import DivanTLS
import DivanTransport
import DivanWebSocket
import Testing

/// Connections through an HTTP proxy, and what can go wrong on the way.
@Suite(.timeLimit(.minutes(5))) struct ProxyTests {
    func client(
        through proxyPort: UInt16,
        to port: UInt16,
        tls: TestTLS? = nil,
        limits: TransportLimits = TransportLimits()
    ) -> WebSocketClientTransport {
        let proxy = HTTPProxy(
            host: "127.0.0.1",
            port: proxyPort,
            username: "someone",
            password: "s3cret"
        )
        let configuration = WebSocketClientTransport.Configuration(
            endpoint: WebSocketEndpoint(
                isSecure: tls != nil,
                host: "127.0.0.1",
                port: port,
                target: "/db"
            ),
            subprotocols: ["A"],
            tls: tls?.client,
            proxy: proxy,
            limits: limits
        )
        return WebSocketClientTransport(configuration, log: quiet)
    }

    @Test(arguments: [false, true])
    func `sends messages through a tunnel`(isSecure: Bool) async throws {
        let tls = isSecure ? try TestTLS() : nil
        let server = try TestServer(tls: tls?.server)
        let proxy = try TestProxy()
        let transport = client(through: proxy.port, to: server.port, tls: tls)
        let message = pattern(300_000)
        let recorder = Recorder(onOpen: { transport.send(message) })
        transport.start(recorder)
        #expect(await recorder.wait { $0.messages.count == 1 }.messages == [message])
        #expect(transport.peerCertificates == (tls.map { [$0.credential.leaf] } ?? []))
        transport.close(code: 1000, reason: "")
        #expect(await recorder.end().goodbye == "1000  false")

        let head = try #require(proxy.heads.all.first)
        #expect(head.hasPrefix("CONNECT 127.0.0.1:\(server.port) HTTP/1.1\r\n"))
        #expect(head.contains("\r\nProxy-Authorization: Basic c29tZW9uZTpzM2NyZXQ=\r\n"))
        let request = server.connections.all.first?.transport.peer.headers
        #expect(request?["Proxy-Authorization"] == nil, "for the proxy only")
    }

    @Test func `uses the proxy after a redirect, too`() async throws {
        let target = try TestServer()
        let port = target.port
        let first = try TestServer { request in
            let location = "http://127.0.0.1:\(port)/x"
            request.refuse(HandshakeRefusal(status: 302, headers: ["Location": location]))
            return false
        }
        let proxy = try TestProxy()
        let transport = client(through: proxy.port, to: first.port)
        let recorder = Recorder()
        transport.start(recorder)
        await recorder.wait { $0.peer != nil }
        #expect(proxy.heads.all.count == 2)
        transport.close(code: 1000, reason: "")
        await recorder.end()
    }

    @Test(arguments: [(407, "Proxy Authentication Required"), (502, "Bad Gateway"), (302, "Found")])
    func `reports the status of a refusal by the proxy`(status: Int, phrase: String) async throws {
        let answer = "HTTP/1.1 \(status) \(phrase)\r\nLocation: http://h/\r\n\r\n"
        let proxy = try TestProxy(refusal: answer)
        let error = try await failure(of: client(through: proxy.port, to: 4984))
        #expect(error.code == .webSocket(status))
        #expect(error.description.hasPrefix("proxy 127.0.0.1:\(proxy.port) to ws://127.0.0.1:4984"))
        #expect(error.description.contains(phrase))
        #expect(!error.description.contains("s3cret"))
    }

    @Test func `refuses a proxy that sends data before the tunnel is used`() async throws {
        let proxy = try TestProxy(refusal: "HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 101 Upgraded\r\n\r\n")
        let error = try await failure(of: client(through: proxy.port, to: 4984))
        #expect(error.code == .webSocket(400))
    }

    @Test func `reports a proxy that disconnects`() async throws {
        let proxy = try TestProxy(refusal: "")
        let error = try await failure(of: client(through: proxy.port, to: 4984))
        #expect(error.code == .webSocket(1006))
    }

    @Test func `reports a proxy that is not running`() async throws {
        let server = try TestServer()
        let port = server.port
        await server.stop()
        let error = try await failure(of: client(through: port, to: 4984))
        #expect(error.code == .posix(Errno.connectionRefused.rawValue))
        #expect(error.description.hasPrefix("proxy 127.0.0.1:\(port) to ws:"))
    }

    @Test func `gives up on a silent proxy after the timeout`() async throws {
        let silent = try RawServer { socket in while !socket.receive().isEmpty {} }
        let limits = TransportLimits(connectTimeout: .milliseconds(200))
        let error = try await failure(of: client(through: silent.port, to: 4984, limits: limits))
        #expect(error.code == .network(3))
    }
}
