import DivanPlatform
import DivanTestKit
import Foundation
import FoundationNetworking
import Testing

/// `divan serve`: who may connect, what is reported, how it is configured and watched.
@Suite(.timeLimit(.minutes(5))) struct ServeCommandTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "a", "--collections", "geo.places")
        try shell.run("new", "b", "--collections", "geo.places")
        try shell.run("put", "a", "one", "{}")
        try shell.run("put", "a", "rome", "{}", "-c", "geo.places")
    }

    private func addUser(_ name: String, _ password: String, _ options: String...) throws {
        try shell.divan(
            ["users", "add", "users.json", name] + options,
            environment: ["DIVAN_PASSWORD": password]
        ).expectSuccess()
    }

    private func sync(
        _ url: String,
        as user: String,
        _ password: String,
        _ options: String...
    ) throws -> Program.Outcome {
        try shell.divan(
            ["sync", "b", url, "--user", user, "--accept-self-signed"] + options,
            environment: ["DIVAN_PASSWORD": password]
        )
    }

    @Test func `a user has the rights of the users file`() throws {
        try addUser("anna", "a", "--read-only", "--collections", "geo.places")
        try addUser("bo", "b")
        let server = try shell.serve("a", "--users", "users.json")
        let url = try server.url()
        let whole = try sync(url, as: "anna", "a", "--collections", "_default,geo.places")
        whole.expectFailure(3, "_default")
        let fitting = try sync(url, as: "anna", "a")
        fitting.expectSuccess()
        #expect(
            fitting.errors.contains("skipping the empty local one"),
            "the empty default collection"
        )
        try sync(url, as: "anna", "a", "--collections", "geo.places").expectSuccess()
        #expect(try server.event(named: "connected")["user"] as? String == "anna")
        try shell.run("put", "b", "ghent", "{}", "-c", "geo.places")
        try sync(url, as: "anna", "a", "--collections", "geo.places").expectFailure(7)
        try sync(url, as: "bo", "b").expectSuccess()
        try sync(url, as: "bo", "a").expectFailure(7, "password")
        #expect(try server.event(named: "refused")["status"] as? Int == 401)
        server.stop()
        #expect(try shell.run("ls", "a", "-c", "geo.places").output == "ghent\nrome\n")
    }

    @Test func `a connected user is disconnected by name, and stops or connects again`() throws {
        try addUser("bo", "b")
        let server = try shell.serve("a", "--users", "users.json", "--no-tls")
        try shell.write("secret.txt", "b\n")
        let words = ["sync", "b", try server.url(), "--continuous", "--user", "bo"]
        let follower = try shell.start(words + ["--password-file", "secret.txt"])
        try follower.wait(for: "idle")
        let closed = try shell.run("disconnect", "a", "bo", "--reconnect", "--json")
        #expect(closed.output == "{\"closed\":1}\n")
        _ = try server.event(named: "disconnected")
        _ = try server.event(named: "connected")
        try follower.wait(for: "idle")
        let connected = try shell.run("status", "a", "--json").output
        #expect(connected.contains("\"user\":\"bo\""))
        try shell.divan("disconnect", "a", "eve").expectFailure(3, "divan status a")
        try shell.divan("disconnect", "b", "bo").expectFailure(3, "not served")
        try shell.run("disconnect", "a", "127.0.0.1")
        try follower.wait(for: "stopped")
        #expect(follower.process.finish().status == 6)
        #expect(server.stop() == 0)
    }

    @Test func `each event has exactly its documented members`() throws {
        try addUser("bo", "b")
        let server = try shell.serve("a", "--users", "users.json", "--no-tls")
        try shell.write("secret.txt", "b\n")
        let words = ["sync", "b", try server.url(), "--continuous", "--user", "bo"]
        let follower = try shell.start(words + ["--password-file", "secret.txt"])
        let peer: Set = ["address", "database", "event", "port", "time", "user"]
        let moved = ["bytesReceived", "bytesSent", "documentsReceived", "documentsSent"]
        #expect(Set(try server.event(named: "connected").keys) == peer)
        #expect(
            Set(try server.event(named: "traffic").keys) == [
                "bytes", "connections", "database", "deltas", "documents", "event",
                "failedHandshakes", "rates", "refusals", "time",
            ]
        )
        follower.stop()
        let left = try server.event(named: "disconnected")
        #expect(Set(left.keys) == peer.union(moved).union(["compression", "deltas", "since"]))
        server.process.signal(.interrupt)
        let stopped = try server.event(named: "stopped")
        #expect(Set(stopped.keys) == Set(["connections", "database", "event", "time"] + moved))
        #expect(stopped["documentsSent"] as? Int == 2)
        _ = server.process.finish()
    }

    @Test func `removing or changing a user takes effect at the next login`() throws {
        try addUser("bo", "old")
        let server = try shell.serve("a", "--users", "users.json")
        let url = try server.url()
        try sync(url, as: "bo", "old").expectSuccess()
        try addUser("bo", "new", "--replace")
        try sync(url, as: "bo", "old").expectFailure(7)
        try sync(url, as: "bo", "new").expectSuccess()
        try shell.run("users", "rm", "users.json", "bo")
        try sync(url, as: "bo", "new").expectFailure(7)
        try FileSystem.setPermissions(0o644, of: shell.path("users.json"))
        try sync(url, as: "bo", "new").expectFailure(7)
        #expect((try server.event(named: "problem")["text"] as? String)?.contains("644") == true)
        server.stop()
    }

    @Test func `a user reads and writes only documents that match the condition`() throws {
        try addUser("anna", "a", "--where", "owner = $user")
        for (id, owner) in [("x", "anna"), ("y", "bo")] {
            try shell.run("put", "a", id, #"{"owner":"\#(owner)"}"#)
            try shell.run("put", "b", "own-\(id)", #"{"owner":"\#(owner)"}"#)
        }
        let server = try shell.serve("a", "--users", "users.json")
        let url = try server.url()
        _ = try sync(url, as: "anna", "a", "--collections", "_default")
        server.stop()
        #expect(try shell.run("ls", "b").output == "own-x\nown-y\nx\n")
        #expect(try shell.run("ls", "a").output == "one\nown-x\nx\ny\n")
    }

    /// Seconds of processor time that a process has used.
    private func cost(of process: RunningProgram) throws -> Double {
        let stat = try String(
            contentsOfFile: "/proc/\(process.processIdentifier)/stat",
            encoding: .utf8
        )
        let fields = try #require(stat.components(separatedBy: ") ").last).split(separator: " ")
        let ticks = try #require(Double(fields[11])) + (try #require(Double(fields[12])))
        return ticks / Double(CurrentProcess.ticksPerSecond)
    }

    @Test func `an unknown user takes as much time as a known one`() throws {
        try addUser("bo", "right")
        let server = try shell.serve("a", "--users", "users.json")
        let url = try server.url()
        var costs: [Double] = []
        for user in ["bo", "nobody"] {
            let before = try cost(of: server.process)
            for _ in 0..<3 { try sync(url, as: user, "wrong").expectFailure(7) }
            costs.append(try cost(of: server.process) - before)
        }
        #expect(costs[1] > costs[0] / 2 && costs[0] > costs[1] / 2, "\(costs)")
        server.stop()
    }

    @Test func `a configuration file sets options, and the command line overrides it`() throws {
        try shell.write(
            "serve.json",
            #"{"databases":["a"],"interface":"127.0.0.1","no-tls":true,"read-only":true,"#
                + #""collections":["geo.places"],"json":true,"metrics-port":0}"#
        )
        let server = try shell.start("serve", "--config", "serve.json")
        let url = try server.url()
        #expect(url.hasPrefix("ws://127.0.0.1:"))
        try shell.run("pull", "b", url, "--collections", "geo.places")
        try shell.divan("pull", "b", url, "--collections", "_default,geo.places")
            .expectFailure(3, "_default")
        server.stop()
        let other = try shell.start("serve", "b", "--config", "serve.json")
        #expect(try other.event(named: "listening")["database"] as? String == "b")
        other.stop()
    }

    @Test(arguments: [
        (#"{"databases":["a"],"prot":1}"#, "did you mean '--port'?"),
        (#"{"databse":["a"]}"#, "did you mean \"databases\"?"),
        (#"{"databases":"a"}"#, "\"databases\" is not a list"),
        (#"{"databases":["a"],"port":1.5}"#, "an integer"),
        (#"{"databases":["a"],"config":"x"}"#, "not allowed in the file"),
        (#"{"databases":["a"],"delta":"yes"}"#, "'--delta' does not take a value"),
        (#"{"databases":["a"],"collections":[]}"#, "\"collections\" is empty"),
        (#"{"databases":["a"],"client-certificate":[]}"#, "\"client-certificate\" is empty"),
        ("[]", "JSON object"), ("{", "serve.json"),
    ])
    func `an error in the configuration file is reported`(_ text: String, _ words: String) throws {
        try shell.write("serve.json", text)
        try shell.divan("serve", "--config", "serve.json").expectFailure(4, "serve.json", words)
    }

    @Test func `the guide's systemd unit and configuration file work`() throws {
        let guide = try Guide("serving.md")
        let file = try #require(guide.blocks("json serve").first?.text)
        let unit = try Guide.text("guides/divan.service")
        #expect(unit.contains("divan serve --config /etc/divan/serve.json --json"))
        try shell.write("serve.json", file)
        // Everything in it is known; the database is the first thing that does not exist.
        try shell.run("identity", "new", "jukebox", "--key", "p256")
        let local = file.replacingOccurrences(of: "/var/lib/divan/users.json", with: "users.json")
        try addUser("anna", "a")
        try shell.write("serve.json", local)
        try shell.divan("serve", "--config", "serve.json")
            .expectFailure(3, "/var/lib/divan/travel.cblite2")
    }

    @Test func `the metrics port serves only metrics and health`() async throws {
        let server = try shell.serve("a", "--no-tls", "--metrics-port", "0")
        let event = try server.event(named: "listening")
        let place = try #require(event["metrics"] as? String)
        let metrics = try #require(URL(string: place))
        let address = try #require((event["urls"] as? [String])?.first)
        try shell.run("pull", "b", address)
        let (data, response) = try await URLSession.shared.data(from: metrics)
        let page = String(decoding: data, as: UTF8.self)
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        #expect(page.contains("divan_sent_documents_total{database=\"a\"} 2\n"), "\(page)")
        #expect(page.contains("# TYPE divan_connections gauge\n"))
        let port = try #require(metrics.port)
        for (request, status) in [
            ("GET /_health HTTP/1.1\r\nHost: localhost\r\n\r\n", "200 OK"),
            ("HEAD /metrics HTTP/1.0\r\n\r\n", "200 OK"),
            ("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "404 Not Found"),
            ("POST /metrics HTTP/1.0\r\n\r\n", "405 Method Not Allowed"),
            ("nonsense\r\n\r\n", "400 Bad Request"), ("GET  HTTP/1.1\r\n\r\n", "400 Bad Request"),
            ("GET /\(String(repeating: "x", count: 9000)) HTTP/1.1\r\n", "431 Request"),
        ] {
            let answer = try LoopbackClient(port: port).ask(request)
            #expect(answer.hasPrefix("HTTP/1.1 \(status)"), "\(request.prefix(40)): \(answer)")
            #expect(!request.hasPrefix("HEAD") || answer.hasSuffix("\r\n\r\n"))
        }
        // Silent clients do not keep others away.
        let silent = try (0..<10).map { _ in try LoopbackClient(port: port) }
        let answer = try LoopbackClient(port: port).ask("GET /_health HTTP/1.0\r\n\r\n")
        #expect(
            answer.hasSuffix(#""status":"ok","uptimeSeconds":0,"version":"0.1.0"}"# + "\n")
                || answer.contains(#""status":"ok""#)
        )
        withExtendedLifetime(silent) {}
        try shell.divan("serve", "b", "--metrics-port", "\(port)").expectFailure(
            1,
            "\(port)",
            "use"
        )
        server.stop()
    }

    @Test func `SIGTERM makes peers reconnect, Ctrl-C does not`() throws {
        for (signal, isBack) in [(Signal.terminate, true), (.interrupt, false)] {
            let server = try shell.serve("a", "--no-tls")
            let url = try server.url()
            let follower = try shell.start("pull", "b", url, "--continuous")
            try follower.wait(for: "idle")
            server.process.signal(signal)
            try follower.wait(for: isBack ? "offline" : "stopped")
            follower.stop()
            #expect(server.process.finish().status == 0)
        }
    }

    @Test func `serve works without Avahi`() throws {
        let outcome = try shell.bash(
            """
            exec 3< <(exec divan serve a --no-tls --interface 127.0.0.1 --advertise Box 2>&1)
            server=$!
            trap 'kill -INT $server' EXIT
            read -r line <&3
            address="${line#*ws://}"
            read -r warning <&3
            echo "$warning"
            divan pull b "ws://${address%%/*}/a"
            """,
            environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(shell.path("no-bus"))"]
        )
        outcome.expectSuccess()
        let warning = "warning: not advertised: peer discovery: Avahi daemon not running"
        #expect(outcome.output.contains(warning))
        #expect(outcome.output.contains("Pulled 2 documents"))
    }

    @Test func `usage errors of serve are explained`() throws {
        try shell.divan("serve").expectFailure(2, "--config")
        try shell.divan("serve", "missing").expectFailure(3, "missing.cblite2")
        try shell.write("x.pem", "noise")
        for (words, status, remedy) in [
            (["--users", "u.json", "--client-ca", "x.pem"], 2, "cannot be used together"),
            (["--no-tls", "--client-ca", "x.pem"], 2, "'--client-ca' requires TLS"),
            (["--no-tls", "--identity", "x"], 2, "cannot be used together"),
            (["--users", "u.json"], 3, "divan users add u.json"),
            (["--client-ca", "x.pem"], 4, "x.pem"), (["--client-ca", "y.pem"], 3, "y.pem"),
            (["--client-certificate", "x.pem"], 4, "x.pem"),
            (["--identity", "ghost"], 3, "identity new ghost"),
            (["--max-connections", "0"], 2, "--max-connections"),
            (["--collections", "no.such"], 3, "no.such"),
            (["--interface", "nonsense0"], 6, "nonsense0"),
            (["--config", "no.json"], 3, "no.json"),
        ] as [([String], Int32, String)] {
            try shell.divan(["serve", "a"] + words).expectFailure(status, remedy)
        }
        let outcome = try shell.divan("serve", "a", "--interface", "nonsense0")
        #expect(outcome.complaints.last == "hint: run 'divan help 5027' for details")
    }
}
