import CouchbaseLiteSwift
import DivanTestKit
import Foundation
import Testing

/// What a replicator sends before the WebSocket is open: `behaviour.md` §12.
@Suite(.timeLimit(.minutes(5))) struct HandshakeRuleTests {
    private static let refusal = HandshakeServer.answer("403 Forbidden")

    /// Runs a replicator to its end against the server; returns its error's code.
    private func run(
        _ server: HandshakeServer,
        _ peers: Peers,
        _ change: (inout ReplicatorConfiguration) -> Void = { _ in }
    ) async throws -> Int {
        let target = try URLEndpoint(validating: "ws://127.0.0.1:\(server.port)/db")
        var configuration = try peers.configuration(target: target)
        configuration.maxAttempts = 1
        change(&configuration)
        return await Replicator(config: configuration).finalCode()
    }

    @Test func `the last path component of the URL is the database, and _blipsync is appended`()
        async throws
    {
        let server = try HandshakeServer(answers: [Self.refusal])
        let code = try await run(server, Peers())
        #expect(code == CBLError.httpForbidden)
        #expect(server.requests.first?.hasPrefix("GET /db/_blipsync HTTP/1.1\r\n") == true)
    }

    @Test func `version 3 of the protocol is offered first, then version 2`() async throws {
        let server = try HandshakeServer(answers: [Self.refusal])
        _ = try await run(server, Peers())
        let offered = server.field("Sec-WebSocket-Protocol")?.replacing(" ", with: "")
        #expect(offered == "BLIP_3+CBMobile_3,BLIP_3+CBMobile_2")
    }

    @Test func `basic credentials are sent with the first request`() async throws {
        let server = try HandshakeServer(answers: [Self.refusal])
        _ = try await run(server, Peers()) {
            $0.authenticator = BasicAuthenticator(username: "alice", password: "pass")
        }
        #expect(server.field("Authorization") == "Basic YWxpY2U6cGFzcw==")
    }

    @Test func `401 stops at once with 10401 if credentials were sent`() async throws {
        let answer = HandshakeServer.answer("401 Unauthorized", "WWW-Authenticate: Basic")
        let server = try HandshakeServer(answers: [answer])
        let code = try await run(server, Peers()) {
            $0.maxAttempts = 5
            $0.authenticator = BasicAuthenticator(username: "alice", password: "wrong")
        }
        #expect(code == CBLError.httpAuthRequired)
        #expect(server.requests.count == 1)
    }

    @Test(arguments: [(nil, "SyncGatewaySession"), ("Mine", "Mine")] as [(String?, String)])
    func `a session is sent as a cookie, by default SyncGatewaySession`(
        name: String?,
        expected: String
    ) async throws {
        let server = try HandshakeServer(answers: [Self.refusal])
        _ = try await run(server, Peers()) {
            $0.authenticator = SessionAuthenticator(sessionID: "abc123", cookieName: name)
        }
        #expect(server.field("Cookie")?.contains("\(expected)=abc123") == true)
    }

    @Test func `a session cookie set by the server is kept and sent again`() async throws {
        let cookie = "Set-Cookie: SyncGatewaySession=new; Path=/db; Max-Age=3600"
        let server = try HandshakeServer(
            answers: [HandshakeServer.answer("403 Forbidden", cookie), Self.refusal]
        )
        let peers = try Peers()
        _ = try await run(server, peers)
        _ = try await run(server, peers)
        #expect(server.field("Cookie") == nil)
        #expect(server.field("Cookie", of: 1)?.contains("=new") == true)
    }

    @Test func `basic credentials are replaced by the session that the server creates`()
        async throws
    {
        let cookie = "Set-Cookie: SyncGatewaySession=made; Path=/db; Max-Age=3600"
        let server = try HandshakeServer(
            answers: [HandshakeServer.answer("503 Busy", cookie), Self.refusal]
        )
        _ = try await run(server, Peers()) {
            $0.maxAttempts = 2
            $0.maxAttemptWaitTime = 0.01
            $0.authenticator = BasicAuthenticator(username: "alice", password: "pass")
        }
        #expect(server.field("Authorization")?.hasPrefix("Basic ") == true)
        #expect(server.field("Cookie") == nil)
        #expect(server.field("Cookie", of: 1)?.contains("SyncGatewaySession=made") == true)
    }

    @Test func `custom headers are added and can replace User-Agent`() async throws {
        let server = try HandshakeServer(answers: [Self.refusal, Self.refusal])
        let peers = try Peers()
        _ = try await run(server, peers)
        _ = try await run(server, peers) {
            $0.headers = ["X-Own": "yes", "User-Agent": "mine/1", "Cookie": "own=1"]
        }
        #expect(server.field("User-Agent")?.isEmpty == false)
        #expect(server.field("User-Agent") != "mine/1")
        #expect(server.field("User-Agent", of: 1) == "mine/1")
        #expect(server.field("X-Own", of: 1) == "yes")
        #expect(server.field("Cookie", of: 1) == "own=1")
    }

    @Test
    func `handshake headers cannot be overridden, and the authenticator's credentials win`()
        async throws
    {
        let server = try HandshakeServer(answers: [Self.refusal])
        let code = try await run(server, Peers()) {
            $0.authenticator = BasicAuthenticator(username: "alice", password: "pass")
            $0.headers = [
                "Host": "elsewhere", "connection": "keep-alive", "Sec-WebSocket-Version": "8",
                "authorization": "Bearer other", "X-Own": "yes",
            ]
        }
        #expect(code == CBLError.httpForbidden)
        let lines = server.requests[0].split(separator: "\r\n").map { $0.lowercased() }
        let names = ["host", "connection", "sec-websocket-version", "authorization", "x-own"]
        let found = names.map { name in lines.filter { $0.hasPrefix(name + ":") } }
        #expect(found.map(\.count) == [1, 1, 1, 1, 1], "\(lines)")
        #expect(found[3].first?.hasPrefix("authorization: basic ") == true)
        #expect(found[2] == ["sec-websocket-version: 13"])
    }

    @Test(arguments: ["a\r\nb: c", "a b", ""])
    func `an invalid header ends the start with invalidParameter`(name: String) async throws {
        let server = try HandshakeServer(answers: [Self.refusal])
        let code = try await run(server, Peers()) { $0.headers = [name: "x"] }
        #expect(code == CBLError.invalidParameter)
        #expect(server.requests.isEmpty)
    }

    @Test func `redirects are followed`() async throws {
        let (first, last) = try Self.redirecting(to: "127.0.0.1")
        let code = try await run(first, Peers())
        #expect(code == CBLError.httpForbidden)
        #expect(last.requests.first?.hasPrefix("GET /other/_blipsync ") == true)
    }

    /// A server that redirects every client to another one, under this name, and that other server, which refuses.
    private static func redirecting(
        to host: String
    ) throws -> (first: HandshakeServer, last: HandshakeServer) {
        let last = try HandshakeServer(answers: [refusal])
        let location = "Location: http://\(host):\(last.port)/other/_blipsync"
        let answer = HandshakeServer.answer("307 Temporary Redirect", location)
        return (try HandshakeServer(answers: [answer]), last)
    }

    /// Whoever has a session can act as the user: a redirect must not pass it on.
    @Test(arguments: ["localhost", "127.0.0.1"])
    func `a redirect to another host drops the application's cookies and headers`(
        host: String
    ) async throws {
        let (first, last) = try Self.redirecting(to: host)
        _ = try await run(first, Peers()) {
            $0.authenticator = SessionAuthenticator(sessionID: "abc123")
            $0.headers = ["Cookie": "own=1", "X-Api-Key": "secret", "Authorization": "Bearer me"]
        }
        let sent = ["SyncGatewaySession=abc123; own=1", "secret", "Bearer me"]
        let names = ["Cookie", "X-Api-Key", "Authorization"]
        #expect(names.map { first.field($0) } == sent)
        #expect(last.requests.count == 1)
        #expect(names.map { last.field($0) } == (host == "127.0.0.1" ? sent : [nil, nil, nil]))
    }

    /// A field is the same however an application's authenticator spells its name.
    @Test(arguments: ["cookie", "COOKIE", "Cookie"])
    func `a redirect to another host drops a custom authenticator's cookie`(
        name: String
    ) async throws {
        let (first, last) = try Self.redirecting(to: "localhost")
        _ = try await run(first, Peers()) {
            $0.authenticator = FieldAuthenticator(fields: [name: "SyncGatewaySession=abc123"])
        }
        #expect(first.field("Cookie") == "SyncGatewaySession=abc123")
        #expect(last.requests.count == 1 && last.field("Cookie") == nil)
    }

    @Test(arguments: [true, false])
    func `certificate pinning applies after a redirect to TLS`(isRight: Bool) async throws {
        let peers = try Peers()
        let listener = try peers.listen()
        defer { listener.stop() }
        let location = "Location: https://127.0.0.1:\(listener.port ?? 0)/there/_blipsync"
        let first = try HandshakeServer(
            answers: [HandshakeServer.answer("307 Temporary Redirect", location)]
        )
        var configuration = try peers.configuration(
            target: URLEndpoint(validating: "ws://127.0.0.1:\(first.port)/there")
        )
        configuration.maxAttempts = 1
        let other = try TLSIdentity.createIdentity(
            for: .serverAuth,
            attributes: [certAttrCommonName: "another"],
            label: "another-\(isRight)"
        )
        let pinned = isRight ? try #require(listener.tlsIdentity) : other
        configuration.pinnedServerCertificate = pinned.certs.first
        let code = await Replicator(config: configuration).finalCode()
        #expect(isRight == (code == 0))
    }

    @Test func `endless redirects are 5005`() async throws {
        let again = HandshakeServer.answer("302 Found", "Location: /db/_blipsync")
        let server = try HandshakeServer(answers: [String](repeating: again, count: 30))
        let code = try await run(server, Peers())
        #expect(code == CBLError.tooManyRedirects)
    }

    @Test func `a redirect to an unsupported scheme is 5012`() async throws {
        let server = try HandshakeServer(
            answers: [HandshakeServer.answer("302 Found", "Location: ftp://127.0.0.1/db")]
        )
        let code = try await run(server, Peers())
        #expect(code == CBLError.invalidRedirect)
    }

    @Test func `an invalid WebSocket handshake fails without a retry`() async throws {
        let upgrade = HandshakeServer.answer(
            "101 Switching Protocols",
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Accept: wrong"
        )
        let server = try HandshakeServer(answers: [upgrade])
        let code = try await run(server, Peers())
        #expect(code != 0)
        #expect(server.requests.count == 1)
    }

    @Test(arguments: [500, 503])
    func `a busy server is retried`(status: Int) async throws {
        let busy = HandshakeServer.answer("\(status) Busy")
        let server = try HandshakeServer(answers: [busy, busy, Self.refusal])
        let code = try await run(server, Peers()) {
            $0.maxAttempts = 5
            $0.maxAttemptWaitTime = 0.01
        }
        #expect(code == CBLError.httpForbidden)
        #expect(server.requests.count == 3)
    }

    @Test func `through a proxy, the server's address is in the request`() async throws {
        let proxy = try HandshakeServer(
            answers: [HandshakeServer.answer("407 Proxy Authentication Required")]
        )
        let code = try await run(proxy, Peers()) {
            $0.proxy = ProxySettings(hostname: "127.0.0.1", port: proxy.port)
        }
        #expect(code != 0)
        #expect(proxy.requests.first?.hasPrefix("CONNECT 127.0.0.1:\(proxy.port) ") == true)
    }

    @Test func `a complete sync works through a proxy, with TLS inside its tunnel`() async throws {
        let peers = try Peers()
        try peers.here.defaultCollection().put("a", 1)
        let listener = try peers.listen()
        defer { listener.stop() }
        let proxy = try HandshakeServer(
            answers: [HandshakeServer.answer("200 Connection established")],
            tunnellingTo: listener.port
        )
        // A name that only the proxy can resolve: the client does not look it up.
        var configuration = try peers.configuration(
            target: URLEndpoint(validating: "wss://peers.invalid:4984/there")
        )
        configuration.acceptOnlySelfSignedServerCertificate = true
        configuration.proxy = ProxySettings(
            hostname: "127.0.0.1",
            port: proxy.port,
            username: "ada",
            password: "love:lace"
        )
        #expect(await Replicator(config: configuration).finalCode() == 0)
        #expect(try peers.there.defaultCollection().value("a") == 1)
        #expect(proxy.requests.first?.hasPrefix("CONNECT peers.invalid:4984 ") == true)
        #expect(proxy.field("Proxy-Authorization") == "Basic YWRhOmxvdmU6bGFjZQ==")
        #expect(proxy.field("Authorization") == nil)
    }

    @Test(arguments: [false, true])
    func `a cookie for the parent domain is kept if that is allowed`(isAllowed: Bool) async throws {
        let peers = try Peers()
        let tunnel = HandshakeServer.answer("200 Connection established")
        let wide = "Set-Cookie: wide=1; Domain=peers.invalid; Path=/"
        let proxy = try HandshakeServer(
            answers: [
                tunnel, HandshakeServer.answer("403 Forbidden", wide), tunnel, Self.refusal,
            ]
        )
        for host in ["one.peers.invalid", "two.peers.invalid"] {
            var configuration = try peers.configuration(
                target: URLEndpoint(validating: "ws://\(host)/db")
            )
            configuration.maxAttempts = 1
            configuration.acceptParentDomainCookie = isAllowed
            configuration.proxy = ProxySettings(hostname: "127.0.0.1", port: proxy.port)
            let code = await Replicator(config: configuration).finalCode()
            #expect(code == CBLError.httpForbidden)
        }
        #expect(proxy.requests.count == 4)
        #expect(proxy.field("Cookie", of: 3) == (isAllowed ? "wide=1" : nil))
    }

    @Test func `correlationID is the ID that the server assigned to the connection`() async throws {
        let peers = try Peers()
        let listener = try peers.listen { $0.disableTLS = true }
        defer { listener.stop() }
        var configuration = try peers.configuration(target: listener.endpoint())
        configuration.continuous = true
        let replicator = Replicator(config: configuration)
        #expect(replicator.correlationID == nil)
        _ = await replicator.start(until: .idle)
        let correlationID = try #require(replicator.correlationID)
        #expect(correlationID.wholeMatch(of: /[0-9a-f]{16}/) != nil)
        #expect(listener.connections.map(\.correlationID) == [correlationID])
        try peers.here.close()
    }

    @Test func `a replicator with a local database has a different correlationID in each run`()
        async throws
    {
        let peers = try Peers()
        let replicator = Replicator(config: try peers.configuration())
        try await replicator.run()
        let first = try #require(replicator.correlationID)
        try await replicator.run()
        #expect(replicator.correlationID != nil && replicator.correlationID != first)
    }
}

/// Sends these fields.
private struct FieldAuthenticator: CustomAuthenticator {
    let fields: [String: String]

    func headers() -> [String: String] { fields }
}
