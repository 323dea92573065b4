import DivanPlatform
import DivanTestKit
import Foundation
import Testing

/// `divan serve` while users and certificates change: open connections, SIGHUP.
@Suite(.timeLimit(.minutes(5))) struct RightsChangeTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "a")
        try shell.run("new", "b")
        try shell.run("put", "a", "one", "{}")
        try shell.write("secret.txt", "anna's\n")
    }

    private func setUser(_ options: String...) throws {
        try shell.divan(
            ["users", "add", "users.json", "anna", "--password-file", "secret.txt"] + options
        ).expectSuccess()
    }

    private func follow(_ url: String, _ verb: String = "sync") throws -> Peer {
        let follower = try shell.start([
            verb, "b", url, "--continuous", "--user", "anna", "--password-file", "secret.txt",
        ])
        try follower.wait(for: "idle")
        return follower
    }

    @Test func `a removed user is disconnected and receives nothing more`() throws {
        try setUser()
        let server = try shell.serve("a", "--no-tls", "--users", "users.json")
        let follower = try follow(try server.url())
        try shell.run("users", "rm", "users.json", "anna")
        let begin = ContinuousClock.now
        _ = try server.event(named: "disconnected")
        // The server notices within a second; it reports what it polls twice a second.
        #expect(ContinuousClock.now - begin < .seconds(10))
        try shell.run("put", "a", "later", "{}")
        try follower.wait(for: "stopped")
        #expect(follower.process.finish().status == 7)
        #expect(try shell.run("ls", "b").output == "one\n")
        server.stop()
    }

    @Test(arguments: [["--read-only"], ["--where", "owner = $user"], []])
    func `changed rights apply to an open connection`(_ options: [String]) throws {
        try setUser()
        let server = try shell.serve("a", "--no-tls", "--users", "users.json")
        let follower = try follow(try server.url(), "pull")
        _ = try server.event(named: "connected")
        if options.isEmpty { try shell.write("secret.txt", "another\n") }
        try shell.divan(
            ["users", "add", "users.json", "anna", "--password-file", "secret.txt", "--replace"]
                + options
        ).expectSuccess()
        _ = try server.event(named: "disconnected")
        if options.isEmpty {
            // With the old password nobody comes back.
            try follower.wait(for: "stopped")
        } else {
            _ = try server.event(named: "connected")
            try shell.run("put", "a", "hers", #"{"owner":"anna"}"#)
            try shell.run("put", "a", "his", #"{"owner":"bo"}"#)
            try shell.run("put", "a", "last", #"{"owner":"anna"}"#)
            _ = try follower.event {
                $0["event"] as? String == "document" && $0["id"] as? String == "last"
            }
            let list = try shell.run("ls", "b").output
            #expect(list.contains("his") == options.contains("--read-only"), "\(list)")
        }
        follower.stop()
        server.stop()
    }

    @Test func `an event stream of a removed user ends without a change`() throws {
        try setUser()
        let server = try shell.serve("a", "--no-tls", "--users", "users.json", "--rest", "0")
        let rest = try #require(try server.event(named: "listening")["rest"] as? String)
        let port = try #require(URL(string: rest)?.port.flatMap { UInt16(exactly: $0) })
        let login = Data("anna:anna's".utf8).base64EncodedString()
        let stream = try HTTPTestClient(port: port)
        let idle = try HTTPTestClient(port: port)
        stream.send(
            "GET /a/_default/_changes?feed=eventsource HTTP/1.1\r\nHost: localhost\r\n"
                + "Authorization: Basic \(login)\r\n\r\n"
        )
        _ = try stream.read(through: "\n\n\r\n")
        #expect(try idle.ask("GET", "/a", "Authorization: Basic \(login)").status == 200)
        try shell.run("users", "rm", "users.json", "anna")
        // The stream's own next line would come after fifteen seconds, and a client here waits for ten.
        #expect(stream.isAtEnd() && idle.isAtEnd())
        server.stop()
    }

    @Test func `a temporarily damaged users file disconnects no user`() throws {
        try setUser()
        let server = try shell.serve("a", "--no-tls", "--users", "users.json")
        let url = try server.url()
        let follower = try follow(url, "pull")
        let text = try shell.text("users.json")
        try shell.write("users.json", "{")
        _ = try server.event(named: "problem")
        try shell.run("put", "a", "two", "{}")
        _ = try follower.event {
            $0["event"] as? String == "document" && $0["id"] as? String == "two"
        }
        try shell.run("new", "c")
        try shell.divan(
            ["pull", "c", url, "--user", "anna", "--password-file", "secret.txt"]
        ).expectFailure(7)
        try shell.write("users.json", text)
        follower.stop()
        server.stop()
    }

    @Test func `SIGHUP with an unreadable users file reports that nothing was loaded`()
        throws
    {
        try setUser()
        let server = try shell.startBash(
            "exec divan serve a --no-tls --interface 127.0.0.1 --users users.json"
        )
        try server.wait(for: "Serving")
        try shell.write("users.json", "{")
        server.signal(.hangup)
        let line = try server.line { $0.contains("Reloaded") }
        #expect(line.hasSuffix("Reloaded nothing"), "\(line)")
        server.signal(.interrupt)
        server.finish()
    }

    @Test func `SIGHUP loads a renewed certificate and keeps connections`() throws {
        try shell.run("identity", "new", "box", "--host", "localhost")
        let server = try shell.serve("a", "--identity", "box", "--write-certificate", "box.pem")
        let url = try server.url()
        let old = try shell.text("box.pem")
        let follower = try shell.start("pull", "b", url, "--pin", "box.pem", "--continuous")
        try follower.wait(for: "idle")
        try shell.run("identity", "renew", "box")
        server.process.signal(.hangup)
        _ = try server.event(named: "reloaded")
        try shell.run("new", "c")
        let new = try shell.run("identity", "export", "box").output
        #expect(new != old)
        try shell.write("old.pem", old)
        try shell.write("new.pem", new)
        try shell.run("pull", "c", url, "--pin", "new.pem")
        try shell.run("pull", "c", url, "--pin", "old.pem")
        #expect(try shell.text("box.pem") == new)
        try shell.run("put", "a", "two", "{}")
        _ = try follower.event {
            $0["event"] as? String == "document" && $0["id"] as? String == "two"
        }
        follower.stop()
        #expect(server.stop() == 0)
    }

    @Test func `a running server renews its own certificate, and pins of it hold`() throws {
        try shell.write("clock", "0")
        var environment = try shell.preloading("clock_moved")
        environment["DIVAN_TEST_CLOCK"] = shell.path("clock")
        let server = try shell.start(
            ["serve", "a", "--interface", "127.0.0.1", "--write-certificate", "own.pem"],
            environment
        )
        let listening = try server.event(named: "listening")
        let old = try shell.text("own.pem")
        try shell.write("old.pem", old)
        try shell.write("clock", "\(365 * 86_400)")
        let renewed = try server.event(named: "renewed")
        #expect(renewed["fingerprint"] as? String != listening["fingerprint"] as? String)
        let new = try shell.text("own.pem")
        #expect(new != old)
        try shell.run("new", "c")
        let url = try #require((listening["urls"] as? [String])?.first)
        try shell.run("pull", "c", url, "--pin", "old.pem")
        #expect(server.stop() == 0)
    }

    @Test func `a running server warns about a certificate that it cannot renew`() throws {
        try shell.run("identity", "new", "box", "--host", "localhost", "--days", "100")
        try shell.write("clock", "0")
        var environment = try shell.preloading("clock_moved")
        environment["DIVAN_TEST_CLOCK"] = shell.path("clock")
        let server = try shell.start(
            ["serve", "a", "--interface", "127.0.0.1", "--identity", "box"],
            environment
        )
        _ = try server.event(named: "listening")
        try shell.write("clock", "\(90 * 86_400)")
        let warning = try server.event(named: "problem")
        #expect((warning["text"] as? String)?.contains("the certificate of a expires on") == true)
        #expect(server.stop() == 0)
    }

    @Test func `SIGHUP revokes a client certificate and closes its connection`() throws {
        for name in ["robot", "cellar"] {
            try shell.run("identity", "new", name)
            try shell.write("\(name).pem", try shell.run("identity", "export", name).output)
        }
        try shell.write("peers.pem", try shell.text("robot.pem") + shell.text("cellar.pem"))
        let server = try shell.serve("a", "--client-certificate", "peers.pem")
        let url = try server.url()
        func words(_ name: String, _ database: String = "c") -> [String] {
            ["pull", database, url, "--accept-self-signed", "--identity", name]
        }
        try shell.run("new", "c")
        let follower = try shell.start(words("robot", "b") + ["--continuous"])
        try follower.wait(for: "idle")
        try shell.divan(words("cellar")).expectSuccess()
        try shell.write("peers.pem", try shell.text("cellar.pem"))
        server.process.signal(.hangup)
        try follower.wait(for: "stopped")
        #expect(follower.process.finish().status == 7)
        try shell.divan(words("cellar")).expectSuccess()
        try shell.divan(words("robot")).expectFailure(7)
        server.stop()
    }

    @Test func `SIGHUP keeps the old settings if a file cannot be read`() throws {
        try shell.run("identity", "new", "box")
        let server = try shell.serve("a", "--identity", "box")
        let url = try server.url()
        try shell.run("identity", "rm", "box", "--yes")
        server.process.signal(.hangup)
        let problem = try server.event(named: "problem")
        #expect((problem["text"] as? String)?.contains("box") == true)
        try shell.divan("pull", "b", url, "--accept-self-signed").expectSuccess()
        #expect(server.stop() == 0)
    }

    @Test func `idle clients of one address do not block others, and are counted`() throws {
        let server = try shell.serve("a", "--no-tls", "--rest", "0", "--metrics-port", "0")
        let event = try server.event(named: "listening")
        let rest = try #require((event["rest"] as? String).flatMap { URL(string: $0)?.port })
        let metrics = try #require((event["metrics"] as? String).flatMap { URL(string: $0)?.port })
        let port = try #require(UInt16(exactly: rest))
        let idle = try (0..<150).map { _ in
            let client = try HTTPTestClient(port: port)
            client.send(
                "GET /a/_default/_changes?feed=eventsource&since=now HTTP/1.1\r\nHost: localhost\r\n\r\n"
            )
            return client
        }
        for _ in 0..<10 {
            #expect(try HTTPTestClient(port: port).ask("GET", "/a").status == 200)
        }
        let crowded = try server.event(named: "crowded")
        #expect(crowded["interface"] as? String == "rest")
        #expect(crowded["count"] as? Int ?? 0 > 0)
        let page = try LoopbackClient(port: metrics).ask("GET /metrics HTTP/1.0\r\n\r\n")
        let line = page.split(separator: "\n").first {
            $0.hasPrefix("divan_http_displaced_connections_total ")
        }
        let count = try #require(line?.split(separator: " ").last.flatMap { Int($0) })
        #expect(count >= 22)
        #expect(page.contains("\ndivan_displaced_connections_total{database=\"a\"} 0\n"))
        withExtendedLifetime(idle) {}
        server.stop()
    }

    @Test func `a trusted proxy provides the client's address`() throws {
        try setUser()
        let server = try shell.serve(
            "a",
            "--no-tls",
            "--users",
            "users.json",
            "--rest",
            "0",
            "--trusted-proxy",
            "127.0.0.1"
        )
        let event = try server.event(named: "listening")
        let rest = try #require((event["rest"] as? String).flatMap { URL(string: $0)?.port })
        let port = try #require(UInt16(exactly: rest))
        let login = "Authorization: Basic \(Data("anna:wrong".utf8).base64EncodedString())"
        let answer = try HTTPTestClient(port: port).ask(
            "GET",
            "/a",
            login,
            "X-Forwarded-For: 6.6.6.6, 203.0.113.7"
        )
        #expect(answer.status == 401)
        #expect(try server.event(named: "refused")["address"] as? String == "203.0.113.7")
        server.stop()
        try shell.divan("serve", "a", "--trusted-proxy", "nowhere").expectFailure(2, "10.0.0.0/8")
    }

    @Test func `an unknown Host is rejected unless --rest-host allows it`() throws {
        let server = try shell.serve("a", "--no-tls", "--rest", "0", "--rest-host", "notes.example")
        let event = try server.event(named: "listening")
        let rest = try #require((event["rest"] as? String).flatMap { URL(string: $0)?.port })
        let port = try #require(UInt16(exactly: rest))
        for (host, status) in [("notes.example:80", 200), ("localhost", 200), ("evil.local", 421)] {
            let answer = try HTTPTestClient(port: port).ask("GET", "/", naming: "Host: \(host)")
            #expect(answer.status == status)
        }
        server.stop()
        try shell.divan("serve", "a", "--rest-host", "x").expectFailure(2, "--rest")
    }

    @Test(arguments: [
        ["serve", "a", "--no-tls", "-p"], ["serve", "a", "--no-tls", "--rest"],
        ["studio", "a", "--port"],
    ])
    func `a port in use is reported`(_ words: [String]) throws {
        let server = try shell.serve("b", "--no-tls")
        let port = try #require(try server.event(named: "listening")["port"] as? Int)
        try shell.divan(
            words + ["\(port)"] + (words[0] == "serve" ? ["--interface", "127.0.0.1"] : [])
        )
        .expectFailure(1, "\(port)", "in use")
        server.stop()
    }
}
