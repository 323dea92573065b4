import DivanPlatform
import DivanTestKit
import Foundation
import Testing

/// What a listener reports about refused requests: user, address and time; and the guide's pattern for fail2ban.
@Suite struct RefusalLineTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "a")
        try shell.run("new", "b")
        try shell.write("secret.txt", "open sesame\n")
        try shell.write("wrong.txt", "open barley\n")
    }

    private func knock(_ url: String, as user: String) throws {
        try shell.divan(
            "pull",
            "b",
            url,
            "--accept-self-signed",
            "--user",
            user,
            "--password-file",
            "wrong.txt"
        ).expectFailure(7, "password")
    }

    /// The pattern in the guide for fail2ban, with its placeholder for an address.
    private func pattern() throws -> Regex<AnyRegexOutput> {
        let guide = try Guide("serving.md")
        let block = try #require(guide.blocks.first { $0.text.contains("failregex") })
        let line = try #require(
            block.text.split(separator: "\n").first { $0.hasPrefix("failregex") }
        )
        let expression = try #require(line.components(separatedBy: " = ").last)
        return try Regex(expression.replacing("<HOST>", with: "(?<host>[0-9a-fA-F:.]+)"))
    }

    @Test func `a refusal is printed with address, user and time`() throws {
        let options = ["--user", "ali", "--password-file", "secret.txt"]
        let words = ["serve", "a", "--interface", "127.0.0.1"] + options
        let server = try shell.start(words)
        try knock(try server.url(), as: "eve")
        let event = try server.event(named: "refused")
        #expect(event["address"] as? String == "127.0.0.1")
        #expect(event["user"] as? String == "eve")
        #expect(event["status"] as? Int == 401)
        let time = try #require(event["time"] as? String)
        #expect(time.hasSuffix("Z") && time.count == 24, "\(time)")
        server.stop()

        let line = words.map { "'\($0)'" }.joined(separator: " ")
        let human = try shell.startBash("export DIVAN_LOG=warning; exec divan \(line)")
        let first = try human.line { $0.contains("wss://") }
        let url = try #require(first.split(separator: " ").first { $0.hasPrefix("wss://") })
        try knock(String(url.prefix { $0 != "," }), as: "eve")
        let logged = try human.line { $0.contains("Refused 127.0.0.1") }
        #expect(logged.contains("with 401, user “eve”"), "\(logged)")
        let told = try human.line { $0.contains(" refused 127.0.0.1") }
        #expect(told.contains("with 401, user \"eve\": wrong password"), "\(told)")
        #expect(told.hasPrefix("20"), "\(told)")
        human.signal(.interrupt)
        human.finish()
    }

    @Test func `the guide's fail2ban pattern matches only addresses of failed logins`() throws {
        let pattern = try pattern()
        let server = try shell.serve("a", "--user", "ali", "--password-file", "secret.txt")
        let url = try server.url()
        // A name meant to make the line look as if somebody else had connected.
        let name = "x\",\"event\":\"refused\",\"status\":401}{\"address\":\"10.9.8.7\""
        try knock(url, as: "eve")
        try knock(url, as: name)
        try shell.divan(
            "pull",
            "b",
            url,
            "--accept-self-signed",
            "--user",
            "ali",
            "--password-file",
            "secret.txt"
        ).expectSuccess()
        server.process.signal(.interrupt)
        let lines = server.process.finish().output.split(separator: "\n")
        var users: Set<String> = []
        for line in lines {
            let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
            let event = try #require(value as? [String: Any])
            let isRefusal = event["event"] as? String == "refused"
            if isRefusal {
                users.insert(try #require(event["user"] as? String))
                #expect(event["status"] as? Int == 401, "\(line)")
            }
            // With the prefix of a journal line, and as in a file.
            for text in ["jukebox divan[812]: \(line)", String(line)] {
                let host = try pattern.firstMatch(in: text)?["host"]?.substring
                #expect(host == (isRefusal ? "127.0.0.1" : nil), "\(line)")
            }
        }
        // A poll between two attempts splits a refusal into two lines, so the lines are not counted.
        // A user name of Basic authentication ends at the first colon.
        #expect(users == ["eve", String(name.prefix { $0 != ":" })], "\(lines)")
    }

    @Test func `a request without credentials is not printed as a refusal`() throws {
        let server = try shell.serve("a", "--user", "ali", "--password-file", "secret.txt")
        let outcome = try shell.divan("pull", "b", try server.url(), "--accept-self-signed")
        #expect(outcome.status == 7)
        server.process.signal(.interrupt)
        #expect(!server.process.finish().output.contains("\"refused\""))
    }

    @Test(arguments: [
        ([String](), true), (["--interface", "127.0.0.1"], false), (["--interface", "lo"], false),
        (["--read-only"], true), (["--user", "ali", "--password-file", "secret.txt"], false),
    ])
    func `serve without authentication prints a one-line warning`(
        _ options: [String],
        _ isOpen: Bool
    ) throws {
        let line = (["serve", "a", "--no-tls"] + options).joined(separator: " ")
        let server = try shell.startBash("exec divan \(line)")
        var lines: [String] = []
        repeat { lines.append(try server.line()) } while lines.last?.hasPrefix("Press") != true
        server.signal(.interrupt)
        lines += server.finish().output.split(separator: "\n").map(String.init)
        let warnings = Set(lines.filter { $0.contains("no authentication: anyone") })
        #expect(warnings.count == (isOpen ? 1 : 0), "\(lines)")
        let isReading = options.contains("--read-only")
        for warning in warnings {
            let rights = isReading ? "can read the shared data" : "can read and change the shared"
            #expect(warning.contains(rights), "\(warning)")
        }
    }

    @Test func `two authentication methods cannot be combined`() throws {
        try shell.run("users", "add", "users.json", "ali", "--password-file", "secret.txt")
        try shell.run("identity", "new", "robot", "--key", "p256")
        try shell.write("robot.pem", try shell.run("identity", "export", "robot").output)
        let ways = [
            ["--users", "users.json"], ["--client-certificate", "robot.pem"],
            ["--client-ca", "robot.pem"], ["--user", "ali", "--password-file", "secret.txt"],
        ]
        for (index, one) in ways.enumerated() {
            for other in ways[(index + 1)...] {
                try shell.divan(["serve", "a"] + one + other)
                    .expectFailure(2, "cannot be used together")
            }
        }
    }
}
