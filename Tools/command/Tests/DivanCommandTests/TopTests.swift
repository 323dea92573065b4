import DivanCommandLine
import DivanJSON
import DivanTestKit
import Foundation
import Testing

@testable import DivanCommand

/// `divan top`: everything that runs, on a terminal and in a pipe.
@Suite(.timeLimit(.minutes(5))) struct TopTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "a")
        try shell.run("new", "b")
        try shell.run("put", "a", "one", "{}")
    }

    /// Serves `a`, and keeps `b` in sync with it.
    private func begin() throws -> (server: Peer, follower: Peer) {
        let server = try shell.serve("a", "--no-tls")
        let follower = try shell.start("sync", "b", try server.url(), "--continuous")
        try follower.wait(for: "idle")
        // The event comes after the publication.
        _ = try follower.event {
            $0["event"] as? String == "progress" && $0["activity"] as? String == "idle"
        }
        _ = try server.event(named: "connected")
        return (server, follower)
    }

    private func objects(_ words: String...) throws -> [[String: Any]] {
        try shell.divan(["top", "--json"] + words).output.split(separator: "\n").map { line in
            let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
            return try #require(value as? [String: Any])
        }
    }

    @Test func `without a terminal top prints one line for each process`() throws {
        let (server, follower) = try begin()
        let lines = try shell.run("top", "a", "b").output.split(separator: "\n")
        try #require(lines.count == 3, "\(lines)")
        #expect(lines[0].hasPrefix("COMMAND DATABASE     STATE"))
        #expect(!lines[0].contains("RATE"))
        #expect(lines[1].hasPrefix("serve   a            ") && lines[1].contains(" peer"))
        #expect(lines[2].hasPrefix("sync    b            idle"))
        #expect(lines[2].contains("ws://127.0.0.1:"))
        let one = try objects("b")
        #expect(one.map { $0["verb"] as? String } == ["sync"])
        follower.stop()
        server.stop()
        let outcome = try shell.run("top", "a")
        #expect(outcome.output.isEmpty && outcome.errors == "Nothing is running\n")
        try shell.divan("top", "missing").expectFailure(3, "missing")
        try shell.divan("top", "--interval", "1").expectFailure(2, "--interval")
    }

    @Test func `top finds databases by the processes that have them open`() throws {
        let watcher = try shell.start("watch", "b")
        _ = try watcher.event(named: "watching")
        let path = URL(fileURLWithPath: shell.path("b.cblite2")).resolvingSymlinksInPath().path
        let found = try objects().first { $0["path"] as? String == path }
        #expect(found?["verb"] as? String == "watch")
        #expect(found?["activity"] as? String == "open")
        #expect(found?["pid"] as? Int == Int(watcher.process.processIdentifier))
        watcher.stop()
        #expect(try !objects().contains { $0["path"] as? String == path })
    }

    @Test func `top shows no numbers for a process that only has a database open`() throws {
        let watcher = try shell.start("watch", "b")
        _ = try watcher.event(named: "watching")
        let terminal = try PseudoTerminal(shell, ["top", "b"])
        try terminal.waits(for: "> watch   b")
        terminal.type("\n")
        let number = watcher.process.processIdentifier
        try terminal.waits(for: "    watch b (process \(number))\n      open")
        let text = terminal.screen.text
        #expect(!text.contains("since") && !text.contains("pulled"), "\(text)")
        terminal.type("q")
        #expect(terminal.end() == 0)
        watcher.stop()
    }

    @Test(arguments: [80, 120])
    func `all columns fit, and rates are shown if there is room`(_ width: Int) throws {
        let server = try shell.serve("a", "--no-tls")
        _ = try server.url()
        let terminal = try PseudoTerminal(shell, ["top", "a"], columnCount: width)
        try terminal.waits { $0.text.contains("> serve   a") && $0.text.contains("0 peers") }
        let titles = try #require(
            terminal.screen.text.split(separator: "\n").first { $0.contains("DATABASE") }
        )
        let expected = [
            "COMMAND", "DATABASE", "STATE", "DOCS", "DOCS/S", "RATE", "BYTES/S", "PENDING",
            "CONFL", "PEERS",
        ].filter { $0 != "RATE" || width >= 100 }
        #expect(titles.split(separator: " ").map(String.init) == expected)
        terminal.type("q")
        #expect(terminal.end() == 0)
        server.stop()
    }

    @Test func `lines are sorted by a column, and the heading has the sums`() throws {
        func entry(_ name: String, _ rate: UInt64, pending: UInt64?) -> RunningDatabases.Entry {
            let object: JSONObject = [
                "verb": "sync", "database": .string(name),
                "rates": ["documents": JSON(rate), "bytes": JSON(rate * 1_000)],
                "pending": pending.map { JSON($0) } ?? JSON.null, "conflicts": ["open": 1],
            ]
            return RunningDatabases.Entry(
                name: RunningDatabases.Entry.Name(
                    bundle: ExactText(name),
                    process: 1,
                    number: 0
                ),
                status: object
            )
        }
        var screen = TopScreen()
        screen.take([
            entry("a", 5, pending: nil), entry("b", 20, pending: 7), entry("c", 20, pending: 9),
        ])
        func names() -> String {
            screen.lines(width: 120, now: 0).compactMap { line in
                line.dropFirst(2).hasPrefix("sync")
                    ? line.split(separator: " ").first { $0.count == 1 && $0 != ">" } : nil
            }.joined()
        }
        let heading = screen.lines(width: 120, now: 0)[0]
        #expect(
            heading == "divan top: 3 processes  (? for keys)  45 docs/s, 45.0 kB/s, 16 pending, "
                + "3 in conflict"
        )
        var orders: [String] = []
        for key in "rssrsrs" {
            let goesOn = screen.press(.character(key))
            #expect(goesOn)
            orders.append(names())
        }
        #expect(orders == ["cba", "abc", "bca", "abc", "bca", "abc", "cba"])
        #expect(screen.lines(width: 79, now: 0)[0].contains(", by PENDING  (? for keys)"))
    }

    @Test func `keys select, open and filter, and the terminal is restored at the end`() throws {
        let (server, follower) = try begin()
        let terminal = try PseudoTerminal(
            shell,
            ["top", "a", "b", "--interval", "100"],
            columnCount: 120
        )
        try terminal.waits { $0.text.contains("> serve   a") && $0.text.contains("  sync    b") }
        #expect(!terminal.isEchoing)
        terminal.type("?")
        try terminal.waits(for: "show or hide its details")
        terminal.type("x")
        try terminal.waits(for: "DATABASE")
        terminal.type("j")
        try terminal.waits(for: "> sync    b")
        terminal.type("\n")
        try terminal.waits(for: "    sync b ws://127.0.0.1:")
        terminal.type("\n")
        try terminal.waits { !$0.text.contains("    sync b ws://127.0.0.1:") }
        terminal.type("/\"verb\":\"servex")
        try terminal.waits(for: "/\"verb\":\"servex_")
        try terminal.waits(for: "No line contains")
        terminal.type("\u{7F}\n")
        try terminal.waits { $0.text.contains("> serve   a") && !$0.text.contains("sync    b") }
        terminal.type("\u{1B}")
        try terminal.waits(for: "sync    b")
        terminal.type("q")
        #expect(terminal.end() == 0)
        #expect(terminal.isEchoing)
        let other = try PseudoTerminal(shell, ["top", "a"])
        try other.waits(for: "serve   a")
        other.type("\u{3}")
        #expect(other.end() == 0)
        #expect(other.isEchoing)
        follower.stop()
        server.stop()
    }
}
