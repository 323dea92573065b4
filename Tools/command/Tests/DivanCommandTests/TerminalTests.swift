import DivanPlatform
import DivanTestKit
import Foundation
import Testing

/// What a person at a terminal sees and types; a pipe gets plain lines.
@Suite(.timeLimit(.minutes(5))) struct TerminalTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "a")
        try shell.run("new", "b")
        for number in 0..<20 { try shell.run("put", "a", "document-\(number)", "{}") }
    }

    private func terminal(
        _ words: String...,
        environment: [String: String] = [:]
    ) throws -> PseudoTerminal {
        try PseudoTerminal(shell, words, environment: environment)
    }

    private func guarded() throws -> (server: Peer, url: String) {
        try shell.write("password.txt", "plover\n")
        let server = try shell.serve(
            "a",
            "--no-tls",
            "--user",
            "anna",
            "--password-file",
            "password.txt"
        )
        return (server, try server.url())
    }

    /// The address that a serving terminal shows.
    private func address(_ server: PseudoTerminal) throws -> String {
        try server.waits(for: "Press Ctrl-C to stop.")
        let words = server.screen.text.split(whereSeparator: \.isWhitespace)
        return String(try #require(words.first { $0.hasPrefix("ws://") }))
    }

    @Test(arguments: ["export", "dump"])
    func `no progress bar is drawn between printed lines`(verb: String) throws {
        let terminal = try terminal(verb, "a", environment: ["TERM": "xterm"])
        #expect(terminal.end() == 0)
        #expect(!terminal.output.contains("[="))
    }

    @Test func `put without a body prompts for it on a terminal`() throws {
        let terminal = try terminal("put", "a", "typed")
        try terminal.waits(for: "Type a JSON object, then press Ctrl-D")
        terminal.type("{\"n\":1}\n\u{4}")
        #expect(terminal.end() == 0)
        #expect(try shell.run("get", "a", "typed", "--raw").output == "{\"n\":1}\n")
        let piped = try shell.bash("echo '{}' | divan put a piped")
        #expect(!piped.errors.contains("Type"))
    }

    // MARK: - Passwords

    @Test func `a password is not shown while it is typed`() throws {
        let (server, url) = try guarded()
        let terminal = try terminal("pull", "b", url, "--user", "anna")
        try terminal.waits(for: "Password:")
        #expect(!terminal.isEchoing)
        terminal.type("plover\n")
        #expect(terminal.end() == 0)
        #expect(terminal.screen.text.contains("Pulled 20 documents"))
        #expect(!terminal.output.contains("plover"))
        #expect(terminal.isEchoing)
        server.stop()
    }

    @Test(arguments: [
        ("\u{3}", Signal.interrupt), ("\u{1C}", .quit), ("", .terminate), ("", .hangup),
    ])
    func `the terminal echoes input again after a password prompt`(
        key: String,
        signal: Signal
    ) throws {
        let (server, url) = try guarded()
        let terminal = try terminal("pull", "b", url, "--user", "anna")
        try terminal.waits(for: "Password:")
        // What is typed passes through a queue of the system, which a signal may overtake.
        if key.isEmpty { terminal.signal(signal) } else { terminal.type("plov" + key) }
        #expect(terminal.end() == (signal == .terminate ? 130 : 128 + signal.rawValue))
        #expect(terminal.isEchoing)
        #expect(!terminal.output.contains("plov"))
        server.stop()
    }

    @Test func `an end of input is not accepted as a password`() throws {
        let terminal = try terminal("pull", "b", "ws://127.0.0.1:1/a", "--user", "anna")
        try terminal.waits(for: "Password:")
        terminal.type("\u{4}")
        #expect(terminal.end() == 2)
        #expect(terminal.screen.text.contains("no password given"))
        #expect(terminal.screen.text.contains("hint: use '--password-file FILE' or"))
        #expect(terminal.isEchoing)
    }

    @Test func `a new password is requested twice`() throws {
        for (second, status) in [("plover", Int32(0)), ("Plover", 4)] {
            let terminal = try terminal("users", "add", "users.json", "bo-\(status)")
            try terminal.waits(for: "Password for bo-\(status):")
            terminal.type("plover\n")
            try terminal.waits(for: "Repeat password:")
            #expect(!terminal.isEchoing)
            terminal.type("\(second)\n")
            #expect(terminal.end() == status)
            #expect(terminal.isEchoing)
        }
        let verify = try terminal("users", "verify", "users.json", "bo-0")
        try verify.waits(for: "Password of bo-0:")
        verify.type("plovee\u{7F}r\n")
        #expect(verify.end() == 0, "the terminal's own keys correct a slip")
    }

    // MARK: - Live views

    @Test func `serve redraws its table in place and clears it at the end`() throws {
        let server = try terminal("serve", "a", "--no-tls", "--interface", "127.0.0.1")
        let url = try address(server)
        try shell.run("put", "b", "another", "{}")
        let follower = try shell.start("sync", "b", url, "--continuous")
        try follower.wait(for: "idle")
        try server.waits(for: "a: 1 peer, sent 20, received 1")
        try server.waits(for: "anonymous ")
        follower.stop()
        try server.waits(for: "disconnected, sent 20, received 1")
        #expect(server.screen.text.matches(of: /a: \d peer/).count == 1)
        #expect(server.screen.text.matches(of: /PEER +FROM/).count <= 1)
        server.type("\u{3}")
        #expect(server.end() == 0)
        let lines = server.screen.text.split(separator: "\n")
        #expect(
            lines.contains { $0.hasPrefix("Stopped a: sent 20 documents, received 1 document") }
        )
        #expect(!server.screen.text.contains("PEER"))
        #expect(server.screen.strangers.isEmpty && !server.screen.isStyled)
    }

    @Test func `a refusal in the table has a time`() throws {
        _ = try shell.bash("echo sesame >right; echo barley >wrong")
        let server = try terminal(
            "serve",
            "a",
            "--no-tls",
            "--interface",
            "127.0.0.1",
            "--user",
            "ali",
            "--password-file",
            "right"
        )
        let url = try address(server)
        try shell.divan("pull", "b", url, "--user", "eve", "--password-file", "wrong")
            .expectFailure(7, "password")
        try server.waits(for: "refused 127.0.0.1 with 401")
        let lines = server.screen.text.split(separator: "\n")
        let line = try #require(lines.first { $0.contains("refused 127.0.0.1") })
        #expect(line.prefixMatch(of: /\d\d:\d\d:\d\dZ  refused 127/) != nil, "\(line)")
        server.type("\u{3}")
        #expect(server.end() == 0)
    }

    @Test func `a table with wide characters fits its lines`() throws {
        let name = String(repeating: "東京", count: 12)  // two cells each
        try shell.run("new", name)
        let server = try terminal("serve", name, "--no-tls", "--interface", "127.0.0.1")
        try server.waits(for: ": 0 peers, ")
        server.type("\u{3}")
        #expect(server.end() == 0)
        let drawn = server.output.split(whereSeparator: \.isNewline).filter {
            $0.contains(": 0 peers, ")
        }
        #expect(!drawn.isEmpty)
        for line in drawn {
            let text = line.drop { $0 != "東" }
            let cells = text.reduce(0) { $0 + ($1 == "東" || $1 == "京" ? 2 : 1) }
            #expect(cells < 80, "\(cells) cells: \(text)")
        }
    }

    @Test func `sync shows a progress bar and clears it at the end`() throws {
        let server = try shell.serve("a", "--no-tls")
        let url = try server.url()
        let sync = try terminal("pull", "b", url, "--continuous")
        try sync.waits(for: "In sync with the peer; waiting for changes")
        #expect(sync.output.contains(" pulled, "))
        sync.type("\u{3}")
        #expect(sync.end() == 0)
        #expect(sync.screen.text.hasPrefix("In sync with the peer"))
        #expect(sync.screen.text.contains("divan: stopped by Ctrl-C"))
        #expect(sync.output.contains("the next run continues from there"))
        #expect(!sync.screen.text.contains(" pulled, "))
        #expect(sync.screen.strangers.isEmpty && !sync.screen.isStyled)
        server.stop()
    }

    @Test func `NO_COLOR keeps the table, and a dumb terminal gets lines`() throws {
        for (name, value) in [("NO_COLOR", "1"), ("TERM", "dumb")] {
            let server = try terminal(
                "serve",
                "a",
                "--no-tls",
                "--interface",
                "127.0.0.1",
                environment: [name: value]
            )
            let url = try address(server)
            try shell.run("pull", "b", url)
            try server.waits(for: "anonymous ")
            server.type("\u{3}")
            #expect(server.end() == 0)
            #expect(server.screen.strangers.isEmpty && !server.screen.isStyled)
            #expect(server.output.contains("\u{1B}") == (name == "NO_COLOR"))
        }
    }

    // MARK: - Pipes

    @Test func `a pipe gets plain lines`() throws {
        let outcome = try shell.bash(
            """
            exec 3< <(exec divan serve a --no-tls --interface 127.0.0.1 2>&1)
            server=$!
            line=""
            until [[ $line == "Serving a at "* ]]; do
                read -r line <&3
                echo "$line"
            done
            divan sync b "${line#Serving a at }" 2>&1
            kill -INT $server
            cat <&3
            """,
            environment: ["TERM": "xterm"]
        )
        outcome.expectSuccess()
        #expect(outcome.output.contains("anonymous from 127.0.0.1 connected"))
        #expect(outcome.output.contains("\nStopped a: sent 20 documents"))
        #expect(!outcome.output.contains("\u{1B}") && !outcome.output.contains("\r"))
    }
}
