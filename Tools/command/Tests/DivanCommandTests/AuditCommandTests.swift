import DivanPlatform
import DivanTestKit
import Foundation
import Testing

/// `divan serve --audit` and `divan audit verify`.
@Suite(.timeLimit(.minutes(5))) struct AuditCommandTests {
    private let shell: Shell
    private let options = ["--audit", "audit.log", "--audit-key-file", "audit.key"]

    init() throws {
        shell = try Shell()
        try shell.run("new", "a")
        try shell.run("new", "b")
        try shell.run("put", "a", "one", "{}")
        try shell.run("put", "b", "two", "{}")
        try shell.bash("umask 077; echo 'a key of the tests' >audit.key").expectSuccess()
        try shell.divan(
            ["users", "add", "users.json", "anna"],
            environment: ["DIVAN_PASSWORD": "secret"]
        ).expectSuccess()
    }

    /// A server with a REST interface, and its port.
    private func serve(_ more: String...) throws -> (server: Peer, url: String, rest: UInt16) {
        let words = ["serve", "a", "--interface", "127.0.0.1", "--no-tls", "--rest", "0"]
        let server = try shell.start(words + options + ["--users", "users.json"] + more)
        let event = try server.event(named: "listening")
        let rest = try #require((event["rest"] as? String).flatMap { URL(string: $0)?.port })
        let url = try #require((event["urls"] as? [String])?.first)
        let code = try #require(try server.event(named: "audit")["head"] as? String)
        #expect(try shell.text("audit.log").contains(code))
        return (server, url, try #require(UInt16(exactly: rest)))
    }

    /// Syncs database b, and waits until the server has noticed its end.
    private func sync(_ url: String, _ server: Peer) throws {
        try shell.divan(
            ["sync", "b", url, "--user", "anna"],
            environment: ["DIVAN_PASSWORD": "secret"]
        ).expectSuccess()
        _ = try server.event(named: "disconnected")
    }

    private func ask(
        _ method: String,
        _ path: String,
        _ port: UInt16,
        password: String = "secret",
        body: String? = nil
    ) throws -> Int {
        let login = Data("anna:\(password)".utf8).base64EncodedString()
        let field = "Authorization: Basic \(login)"
        return try HTTPTestClient(port: port).ask(method, path, field, body: body).status
    }

    /// Stops a server; returns the last code that it printed.
    private func stop(_ server: Peer) throws -> String {
        server.process.signal(.interrupt)
        let head = try #require(try server.event(named: "audit")["head"] as? String)
        #expect(server.process.finish().status == 0)
        return head
    }

    /// The entries of a log.
    private func entries(_ name: String = "audit.log") throws -> [[String: Any]] {
        try shell.text(name).split(separator: "\n").map { line in
            let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
            return try #require(value as? [String: Any])
        }
    }

    private func verify(_ files: String..., head: String? = nil) throws -> Program.Outcome {
        let option = head.map { ["--head", $0] } ?? []
        return try shell.divan(["audit", "verify", "--key-file", "audit.key"] + option + files)
    }

    private func documents(_ entries: [[String: Any]]) -> [[String: Any]] {
        entries.flatMap { $0["documents"] as? [[String: Any]] ?? [] }
    }

    @Test func `a sync, REST requests and refused logins are recorded in an intact log`() throws {
        let (server, url, rest) = try serve()
        try sync(url, server)
        #expect(try ask("PUT", "/a/_default/three?x=hidden", rest, body: "{}") == 201)
        #expect(try ask("GET", "/a/_default/three", rest) == 200)
        #expect(try ask("PUT", "/a/_default/four", rest, password: "wrong", body: "{}") == 401)
        let head = try stop(server)

        let entries = try entries()
        func all(_ event: String) -> [[String: Any]] {
            entries.filter { $0["event"] as? String == event }
        }
        #expect(all("start").first?["databases"] as? [String] == ["a"])
        let connect = try #require(all("connect").first)
        #expect(connect["user"] as? String == "anna" && connect["database"] as? String == "a")
        #expect(connect["address"] as? String == "127.0.0.1" && connect["connection"] as? Int == 1)
        let written = documents(all("write"))
        #expect(written.map { $0["id"] as? String } == ["two"])
        let revisions = try shell.run("revs", "a", "two").output
        #expect(revisions.contains(try #require(written.first?["rev"] as? String)))
        let disconnect = try #require(all("disconnect").first)
        #expect(disconnect["written"] as? Int == 1 && disconnect["read"] as? Int == 1)
        #expect(all("read").isEmpty)
        let requests = all("request")
        #expect(requests.map { $0["path"] as? String } == ["/a/_default/three"])
        #expect(requests.first?["method"] as? String == "PUT")
        #expect(requests.first?["status"] as? Int == 201)
        let refuse = try #require(all("refuse").first)
        #expect(refuse["user"] as? String == "anna" && refuse["status"] as? Int == 401)
        #expect((refuse["last"] as? String)?.count == 24)
        #expect(entries.last?["event"] as? String == "stop")
        #expect(try !shell.text("audit.log").contains("hidden"))

        let outcome = try verify("audit.log", head: head)
        outcome.expectSuccess()
        #expect(outcome.output.hasPrefix("Intact: \(entries.count) lines from "))
        #expect(outcome.output.hasSuffix(", head \(head)\n"))
        let json = try verify("audit.log", "--json").json()
        #expect(json["lines"] as? Int == entries.count && json["head"] as? String == head)
    }

    @Test func `a changed, a removed and a missing line are found`() throws {
        let (server, url, _) = try serve()
        try sync(url, server)
        let head = try stop(server)
        let text = try shell.text("audit.log")
        let lines = text.split(separator: "\n")
        try shell.write(
            "changed.log",
            text.replacing("\"anna\"", with: "\"eve\"", maxReplacements: 1)
        )
        try verify("changed.log").expectFailure(5, "changed.log")
        let finding = try #require(
            try verify("changed.log", "--json").json()["finding"] as? [String: Any]
        )
        let line = try #require(lines.firstIndex { $0.contains("\"anna\"") })
        #expect(finding["line"] as? Int == line + 1)
        try shell.write("removed.log", (lines[..<2] + lines[3...]).map { $0 + "\n" }.joined())
        #expect(try verify("removed.log").output.contains("removed.log, line 3: lines are missing"))
        try shell.write("short.log", lines.dropLast().map { $0 + "\n" }.joined())
        try verify("short.log").expectSuccess()
        try verify("short.log", head: head).expectFailure(5, "short.log")
        try verify("nosuch.log").expectFailure(3, "nosuch.log")
        try verify("audit.log", head: "x").expectFailure(2, "--head")
        try shell.divan("audit", "verify", "audit.log").expectFailure(5, "--key-file")
        try shell.divan("audit", "verify").expectFailure(2, "FILE")
        try shell.divan("audit").expectFailure(2, "divan audit verify")
    }

    @Test func `with --audit-reads, read documents and requests are recorded`() throws {
        let (server, url, rest) = try serve("--audit-reads")
        try sync(url, server)
        #expect(try ask("GET", "/a/_default/one?rev=1-hidden", rest) == 404)
        _ = try stop(server)
        let entries = try entries()
        let reads = documents(entries.filter { $0["event"] as? String == "read" })
        #expect(reads.map { $0["id"] as? String } == ["one"])
        let request = try #require(entries.first { $0["event"] as? String == "request" })
        #expect(request["path"] as? String == "/a/_default/one")
        #expect(request["status"] as? Int == 404 && request["user"] as? String == "anna")
        try verify("audit.log").expectSuccess()
    }

    @Test(arguments: [true, false])
    func `the log continues in a new file after a rotation and SIGHUP`(_ isCreated: Bool) throws {
        let (server, _, rest) = try serve()
        try FileSystem.rename(shell.path("audit.log"), to: shell.path("audit.log.1"))
        if isCreated { try shell.write("audit.log", "") }
        server.process.signal(.hangup)
        let reloaded = try server.event(named: "reloaded")
        #expect((reloaded["reloaded"] as? [String])?.contains("audit log") == true)
        #expect(try ask("PUT", "/a/_default/three", rest, body: "{}") == 201)
        server.process.signal(.hangup)
        let again = try server.event(named: "reloaded")
        #expect((again["reloaded"] as? [String])?.contains("audit log") == false)
        let head = try stop(server)
        #expect(try entries().map { $0["event"] as? String } == ["begin", "request", "stop"])
        let both = try verify("audit.log.1", "audit.log", head: head)
        both.expectSuccess()
        #expect(!both.output.contains("continues"))
        let code = try #require(try entries().first?["continues"] as? String)
        let second = try verify("audit.log", head: head)
        second.expectSuccess()
        #expect(second.output.hasSuffix("; continues the file that ends with \(code)\n"))
        try verify("audit.log", "audit.log.1").expectFailure(5, "order")
        // The next start continues the new file.
        let (next, _, _) = try serve()
        try verify("audit.log", head: try stop(next)).expectSuccess()
    }

    @Test func `files that are not the server's audit log are refused and not changed`() throws {
        try shell.write("mine.txt", "mine\n")
        try shell.divan("serve", "a", "--audit", "mine.txt")
            .expectFailure(4, "mine.txt: not an audit log")
        #expect(try shell.text("mine.txt") == "mine\n")
        try shell.divan("serve", "a", "--audit-reads").expectFailure(2, "--audit FILE")
        try shell.divan("serve", "a", "--audit", "x.log", "--audit-key-file", "nosuch")
            .expectFailure(3, "nosuch")
        try shell.bash("umask 077; echo short >short.key").expectSuccess()
        try shell.divan("serve", "a", "--audit", "x.log", "--audit-key-file", "short.key")
            .expectFailure(4, "short.key")
        let (server, _, _) = try serve()
        let text = try shell.text("audit.log")
        try shell.divan(["serve", "b"] + options).expectFailure(5, "another program writes")
        #expect(try shell.text("audit.log") == text)
        _ = try stop(server)
        try shell.divan("serve", "a", "--audit", "audit.log")
            .expectFailure(4, "written with a key")
    }

    @Test func `an incomplete last line is removed and recorded at the next start`() throws {
        _ = try stop(try serve().server)
        let text = try shell.text("audit.log")
        try shell.write("audit.log", String(text.dropLast(10)))
        try verify("audit.log").expectFailure(5, "divan serve")
        _ = try stop(try serve().server)
        try verify("audit.log").expectSuccess()
        #expect(try entries().contains { $0["event"] as? String == "repair" })
    }

    @Test func `the options work in the file of --config`() throws {
        try shell.write(
            "serve.json",
            """
            {"databases": ["a"], "no-tls": true, "interface": "127.0.0.1", "audit": "audit.log",
             "audit-key-file": "audit.key", "audit-reads": true}
            """
        )
        try shell.run("serve", "--config", "serve.json", "--check")
        #expect(!FileSystem.exists(shell.path("audit.log")))
        let server = try shell.start("serve", "--config", "serve.json")
        _ = try server.event(named: "audit")
        try verify("audit.log", head: try stop(server)).expectSuccess()
    }

    @Test func `the guide's audit log works`() throws {
        let guide = try Guide(
            "serving.md",
            runs: "sh audit key",
            "sh audit serve",
            "sh audit verify"
        )
        try shell.run("new", "travel")
        try shell.bash("rm audit.key\n" + guide.script("sh audit key")).expectSuccess()
        #expect(try FileStatus(of: shell.path("audit.key")).permissions == 0o600)
        let free = guide.script("sh audit serve").replacing("--rest 4985", with: "--rest 0")
        let server = try ServingTerminal(shell, "exec \(free)", greeting: "REST interface at ")
        let head = try server.line { $0.contains("has the code ") }
        #expect(server.interrupt() == 0)
        let outcome = try shell.bash(guide.script("sh audit verify"))
        outcome.expectSuccess()
        #expect(outcome.output.hasPrefix("Intact: 3 lines"))
        let code = try #require(head.split(separator: " ").last)
        #expect(try shell.text("audit.log").contains(code))
    }
}
