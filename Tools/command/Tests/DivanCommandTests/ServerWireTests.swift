import DivanTestKit
import Testing

/// What `divan` sends to a server and a proxy before there is a WebSocket, read on the wire.
@Suite(.timeLimit(.minutes(5))) struct ServerWireTests {
    private static let tunnel = HandshakeServer.answer("200 Connection established")
    private static let refusal = HandshakeServer.answer("403 Forbidden")
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "db")
    }

    private func pull(
        from host: String,
        _ options: [String],
        environment: [String: String] = [:]
    ) throws {
        // Without its option, a pull into an empty database lists the peer's collections first.
        let words = ["pull", "db", "ws://\(host)/travel", "--collections", "_default"]
        try shell.divan(words + options, environment: environment).expectFailure(7)
    }

    @Test func `a session is sent as a cookie and replaced by the renewed one`() throws {
        let renewal = "Set-Cookie: SyncGatewaySession=renewed; Path=/travel; Max-Age=3600"
        let server = try HandshakeServer(
            answers: [
                HandshakeServer.answer("403 Forbidden", renewal), Self.refusal, Self.refusal,
                Self.refusal,
            ]
        )
        let host = "127.0.0.1:\(server.port)"
        try shell.write("session.txt", "from-the-file\n")
        try pull(from: host, ["--session-file", "session.txt"])
        try pull(from: host, [])
        try pull(from: host, ["--cookie-name", "Mine"], environment: ["DIVAN_SESSION": "other"])
        try pull(from: host, ["--session-file", "session.txt"])
        let cookies = (0..<4).map { server.field("Cookie", of: $0) }
        #expect(
            cookies == [
                "SyncGatewaySession=from-the-file", "SyncGatewaySession=renewed",
                "SyncGatewaySession=renewed; Mine=other", "SyncGatewaySession=from-the-file",
            ]
        )
        #expect(server.requests.allSatisfy { $0.hasPrefix("GET /travel/_blipsync HTTP/1.1\r\n") })
    }

    @Test func `a proxy receives only its own password`() throws {
        let proxy = try HandshakeServer(answers: [Self.tunnel, Self.refusal])
        try pull(
            from: "peers.invalid:4984",
            ["--proxy", "ada@127.0.0.1:\(proxy.port)", "--user", "bo"],
            environment: ["DIVAN_PROXY_PASSWORD": "lovelace", "DIVAN_PASSWORD": "plover"]
        )
        #expect(proxy.requests.first?.hasPrefix("CONNECT peers.invalid:4984 HTTP/1.1\r\n") == true)
        #expect(proxy.field("Proxy-Authorization") == "Basic YWRhOmxvdmVsYWNl")
        #expect(proxy.field("Authorization") == nil)
        #expect(proxy.field("Authorization", of: 1) == "Basic Ym86cGxvdmVy")
        #expect(proxy.field("Proxy-Authorization", of: 1) == nil)
    }

    @Test func `a proxy that requires a password is distinguished from a server`() throws {
        let proxy = try HandshakeServer(
            answers: [
                HandshakeServer.answer(
                    "407 Proxy Authentication Required",
                    "Proxy-Authenticate: Basic"
                )
            ]
        )
        let options = ["--proxy", "127.0.0.1:\(proxy.port)", "--collections", "_default"]
        try shell.divan(["pull", "db", "ws://peers.invalid/travel"] + options)
            .expectFailure(7, "proxy")
    }

    @Test func `a parent domain cookie is kept only with --parent-cookies`() throws {
        let wide = HandshakeServer.answer(
            "403 Forbidden",
            "Set-Cookie: wide=1; Domain=peers.invalid; Path=/; Max-Age=3600"
        )
        for (option, cookie) in [([], nil), (["--parent-cookies"], "wide=1")]
            as [([String], String?)]
        {
            let proxy = try HandshakeServer(
                answers: [Self.tunnel, wide, Self.tunnel, Self.refusal]
            )
            for host in ["one.peers.invalid", "two.peers.invalid"] {
                try pull(from: host, ["--proxy", "127.0.0.1:\(proxy.port)"] + option)
            }
            #expect(proxy.field("Cookie", of: 3) == cookie)
        }
    }

    @Test func `a server that answers 400 on its TLS port is recognized`() throws {
        try shell.run("new", "a")
        let far = try shell.serve("a")
        let port = try #require(try far.event(named: "listening")["port"] as? Int)
        let refusal = HandshakeServer.answer("400 Bad Request")
        let server = try HandshakeServer(answers: [refusal, refusal], tunnellingTo: UInt16(port))
        let url = "ws://127.0.0.1:\(server.port)/travel"
        try shell.divan("pull", "db", url, "--collections", "_default")
            .expectFailure(1, "400", "the server uses TLS", "wss://")
        let clear = try HandshakeServer(answers: [refusal, refusal, refusal, refusal, refusal])
        let outcome = try shell.divan("pull", "db", "ws://127.0.0.1:\(clear.port)/travel")
        #expect(!outcome.errors.contains("the server uses TLS"), "\(outcome)")
        far.stop()
    }

    @Test func `a sync over TLS works through a proxy`() throws {
        try shell.run("new", "a")
        try shell.run("put", "a", "one", "{}")
        let server = try shell.serve("a")
        let port = try #require(try server.event(named: "listening")["port"] as? Int)
        let proxy = try HandshakeServer(answers: [Self.tunnel], tunnellingTo: UInt16(port))
        let options = [
            "--accept-self-signed", "--proxy", "127.0.0.1:\(proxy.port)", "--collections",
            "_default",
        ]
        try shell.divan(["pull", "db", "wss://peers.invalid:4984/a"] + options).expectSuccess()
        #expect(try shell.run("ls", "db").output == "one\n")
        server.stop()
    }
}
