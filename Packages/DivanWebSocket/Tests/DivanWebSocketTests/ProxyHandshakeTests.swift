import DivanWebSocket
import Testing

/// The request for a tunnel as text, and every answer of a proxy, however it is split.
@Suite struct ProxyHandshakeTests {
    let endpoint = WebSocketEndpoint(isSecure: true, host: "h.example", port: 443, target: "/db")

    func handshake(
        _ proxy: HTTPProxy = HTTPProxy(host: "p", port: 3128)
    ) throws -> ProxyHandshake {
        try ProxyHandshake(proxy, to: endpoint, userAgent: "Test")
    }

    func text(_ handshake: ProxyHandshake) -> String {
        String(decoding: handshake.request(), as: UTF8.self)
    }

    /// The outcome of an answer that arrives in two pieces; then the end, if there was none.
    func outcome(_ answer: String, cut: Int = 0) throws -> ProxyHandshake.Outcome? {
        var handshake = try handshake()
        let bytes = Array(answer.utf8)
        for piece in [bytes[..<cut], bytes[cut...]] {
            handshake.receive(piece.span)
            if let outcome = try handshake.next() { return outcome }
        }
        handshake.receiveEnd()
        return try handshake.next()
    }

    func reason(_ answer: String) throws -> HandshakeError.Reason? {
        do {
            _ = try outcome(answer)
            return nil
        } catch let error as HandshakeError {
            return error.reason
        }
    }

    @Test func `skips an interim response`() throws {
        let hint = "HTTP/1.1 102 Processing\r\n\r\n"
        #expect(try outcome(hint + "HTTP/1.1 200 OK\r\n\r\n") == .connected)
    }

    @Test func `requests a tunnel to the host and port`() throws {
        #expect(
            text(try handshake())
                == "CONNECT h.example:443 HTTP/1.1\r\nHost: h.example:443\r\n"
                + "User-Agent: Test\r\n\r\n"
        )
    }

    @Test func `puts an IPv6 address in brackets`() throws {
        let endpoint = WebSocketEndpoint(isSecure: false, host: "::1", port: 4984, target: "/db")
        let handshake = try ProxyHandshake(HTTPProxy(host: "p", port: 1), to: endpoint)
        #expect(text(handshake).hasPrefix("CONNECT [::1]:4984 HTTP/1.1\r\nHost: [::1]:4984\r\n"))
    }

    /// The example of RFC 7617 §2.
    @Test func `sends user name and password with the first request`() throws {
        let proxy = HTTPProxy(
            host: "p",
            port: 3128,
            username: "Aladdin",
            password: "open sesame"
        )
        let line = "Proxy-Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n\r\n"
        #expect(text(try handshake(proxy)).hasSuffix(line))
        #expect("\(proxy)" == "proxy p:3128")
        var dumped = ""
        dump(proxy, to: &dumped)
        #expect(!dumped.contains("sesame") && !dumped.contains("Aladdin"))
    }

    @Test(arguments: [("a:b", "c"), ("a", "b\r\nX: y"), ("a\n", "")])
    func `refuses credentials that cannot be encoded`(user: String, password: String) {
        let proxy = HTTPProxy(host: "p", port: 1, username: user, password: password)
        let error = #expect(throws: HandshakeError.self) { try handshake(proxy) }
        #expect(error?.reason == .unsendable(field: "Proxy-Authorization"))
    }

    @Test(arguments: ["h\r\nX: y", "h i", ""])
    func `refuses a host that would break the header line`(host: String) {
        let endpoint = WebSocketEndpoint(isSecure: false, host: host, port: 1, target: "/")
        #expect(throws: HandshakeError(reason: .unsendable(field: "Host"))) {
            try ProxyHandshake(HTTPProxy(host: "p", port: 1), to: endpoint)
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 Connection established\r\n\r\n",
        "HTTP/1.0 200 OK\r\nProxy-Agent: x\r\nContent-Length: 5\r\n\r\n",
        "HTTP/1.1 204 \r\n\r\n",
    ])
    func `accepts any 2xx response however it is split`(answer: String) throws {
        for cut in 0...answer.utf8.count {
            #expect(try outcome(answer, cut: cut) == .connected, "cut at \(cut)")
        }
    }

    @Test func `reports a refusal with the message of the proxy`() throws {
        let answer =
            "HTTP/1.1 407 Proxy Authentication Required\r\n"
            + "Proxy-Authenticate: Basic realm=\"p\"\r\nContent-Type: text/plain\r\n"
            + "Content-Length: 11\r\n\r\nwho are you"
        for cut in 0...answer.utf8.count {
            guard case .refused(let refusal) = try outcome(answer, cut: cut) else {
                Issue.record("cut at \(cut)")
                continue
            }
            #expect(refusal.status == 407)
            #expect(refusal.explanation == "who are you", "cut at \(cut)")
            #expect(refusal.headers["Proxy-Authenticate"] == "Basic realm=\"p\"")
        }
    }

    @Test func `does not follow redirects of a proxy`() throws {
        let answer = "HTTP/1.1 302 Found\r\nLocation: http://elsewhere/\r\n\r\n"
        guard case .refused(let refusal) = try outcome(answer) else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.status == 302)
    }

    @Test func `refuses responses that are invalid for a proxy`() throws {
        let head = "HTTP/1.1 200 OK\r\n\r\n"
        #expect(try reason(head + "early") == .early(count: 5))
        #expect(try reason("HTTP/1.1 101 Switching Protocols\r\n\r\n") == .proxyStatus(101))
        #expect(try reason("HTTP/1.1 200 OK\r\n") == .ended)
        #expect(try reason("SSH-2.0-x\r\n\r\n") == .head(.notHTTP(start: "SSH-2.0-x")))
        #expect(try reason("\u{16}\u{3}\u{1}") == .head(.tlsRecord))
        let long = "X: " + String(repeating: "y", count: 9_000)
        #expect(
            try reason("HTTP/1.1 200 OK\r\n\(long)\r\n\r\n") == .head(.lineLength(limit: 8_192))
        )
    }
}
