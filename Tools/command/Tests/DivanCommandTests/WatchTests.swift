import DivanTestKit
import Foundation
import Testing

/// `divan watch` while other programs write to the same database.
@Suite struct WatchTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "db", "--collections", "geo.a")
        try shell.run("put", "db", "old", "{}")
    }

    @Test func `watch prints changes and deletions by another process`() throws {
        let watcher = try shell.start("watch", "db", "--interval", "20", "--bodies")
        let begin = try watcher.event(named: "watching")
        #expect((begin["sequences"] as? [String: Int])?["_default"] == 1)
        try shell.run("put", "db", "new", #"{"n":1}"#)
        let saved = try watcher.event(named: "change")
        #expect(saved["id"] as? String == "new")
        #expect(saved["sequence"] as? Int == 2)
        #expect((saved["body"] as? [String: Int]) == ["n": 1])
        try shell.run("rm", "db", "new")
        let deleted = try watcher.event(named: "change")
        #expect(deleted["deleted"] as? Bool == true)
        #expect(deleted["body"] == nil)
        try shell.run("put", "db", "x", "{}", "-c", "geo.a")
        #expect(try watcher.event(named: "change")["collection"] as? String == "geo.a")
        #expect(watcher.stop() == 0)
    }

    @Test func `watch includes a collection that is created later`() throws {
        let watcher = try shell.start("watch", "db", "--interval", "20")
        _ = try watcher.event(named: "watching")
        try shell.run("collections", "db", "--make", "late")
        try shell.run("put", "db", "x", "{}", "-c", "late")
        #expect(try watcher.event(named: "change")["collection"] as? String == "late")
        watcher.stop()
    }

    /// The files that it has open no longer show changes.
    @Test(arguments: ["watch db --interval 20", "query db 'SELECT COUNT(*) FROM _' --watch"])
    func `watch ends when the database is removed or replaced`(verb: String) throws {
        let script = """
            divan \(verb) >/dev/null 2>told & watching=$!
            until grep -q Watching told; do kill -0 $watching || exit 1; done
            rm -r db.cblite2; divan new db
            wait $watching || echo "code $?"; cat told
            """
        let outcome = try shell.bash(script)
        #expect(outcome.output.contains("code 5"), "\(outcome)")
        #expect(outcome.output.contains("was removed or replaced"))
    }

    @Test func `watch starts after --since and ends after --limit changes`() throws {
        try shell.run("put", "db", "new", "{}")
        let outcome = try shell.run("watch", "db", "--since", "0", "--limit", "2")
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines[0].hasSuffix("_default/old"))
        #expect(lines[1].hasPrefix("       2  1-"))
        #expect(outcome.errors == "Watching db; press Ctrl-C to stop.\n")
    }

    @Test func `watch works while another process writes`() throws {
        let server = try shell.serve("db", "--no-tls")
        _ = try server.url()
        let outcome = try shell.run("watch", "db", "--since", "0", "--limit", "1")
        #expect(outcome.output.contains("_default/old"))
        server.stop()
    }

    @Test func `watch errors have their exit codes`() throws {
        #expect(try shell.divan("watch", "none").status == 3)
        #expect(try shell.divan("watch", "db", "--collections", "none").status == 3)
        #expect(try shell.divan("watch", "db", "--limit", "0").status == 2)
        #expect(try shell.divan("watch", "db", "--interval", "5").status == 2)
    }

    @Test(arguments: ["watch db --since 0", "query db 'SELECT n FROM _' --watch --format jsonl"])
    func `watch ends when its reader closes the pipe`(_ line: String) throws {
        let outcome = try shell.bash("timeout 60 divan \(line) | head -n 1; echo ${PIPESTATUS[0]}")
        #expect(outcome.lines.last == "0", "\(outcome)")
    }
}
