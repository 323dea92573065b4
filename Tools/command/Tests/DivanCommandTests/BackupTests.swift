import DivanTestKit
import Foundation
import Testing

/// `divan backup`, and restoring what it wrote.
@Suite(.timeLimit(.minutes(10))) struct BackupTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "shop")
        try shell.run("index", "make", "shop", "byN", "n")
        try shell.write("photo.png", "a picture")
        try shell.run("put", "shop", "one", #"{"n":1}"#, "--blob", "photo=photo.png")
    }

    /// The names of the files, in order of time.
    private func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: shell.path("backups"))
            .filter { $0.hasSuffix(".dump") }.sorted()
    }

    /// Makes a backup; returns the time in its name.
    @discardableResult
    private func backup(_ options: String...) throws -> String {
        let outcome = try shell.divan(["backup", "shop", "backups", "--json"] + options)
        outcome.expectSuccess()
        return try #require(try outcome.json()["time"] as? String)
    }

    /// The lines of a dump of a database, except the first and the last, which name it.
    private func content(_ database: String) throws -> [Substring] {
        let lines = try shell.run("dump", database).output.split(separator: "\n")
        return Array(lines.dropFirst().dropLast())
    }

    @Test func `the first backup is full, and the next ones contain the changes`() throws {
        try backup()
        try shell.run("put", "shop", "two", #"{"n":2}"#)
        try backup()
        let names = try files()
        #expect(names.map { $0.hasSuffix("_full.dump") } == [true, false])
        #expect(names.allSatisfy { $0.hasPrefix("shop_20") })
        let changes = try shell.text("backups/\(names[1])")
        #expect(changes.contains("two") && !changes.contains(#""one""#))
        for name in names {
            let attributes = try FileManager.default.attributesOfItem(
                atPath: shell.path("backups/\(name)")
            )
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
    }

    @Test func `the state at the time of each backup can be restored`() throws {
        var states: [(time: String, content: [Substring])] = []
        for step in 0..<5 {
            switch step {
            case 1: try shell.run("put", "shop", "two", #"{"n":2}"#)
            case 2: try shell.run("rm", "shop", "one")
            case 3: try shell.run("purge", "shop", "two", "--yes")
            case 4: try shell.run("index", "make", "shop", "byName", "name")
            default: break
            }
            states.append((try backup(), try content("shop")))
        }
        for (step, state) in states.enumerated() {
            try shell.run("restore", "then-\(step)", "backups", "--at", state.time)
            #expect(try content("then-\(step)") == state.content, "step \(step)")
        }
        try shell.run("restore", "newest", "backups")
        #expect(try content("newest") == states.last?.content)
        let early = try shell.divan("restore", "early", "backups", "--at", "2020-01-01")
        early.expectFailure(3, "no backup from that time or before", "the oldest one is from")
        let ago = try shell.divan("restore", "ago", "backups", "--at", "10m")
        ago.expectFailure(3, "no backup from that time or before")
    }

    @Test func `a full backup is made if the newest file cannot be continued`() throws {
        try backup()
        let first = try files()[0]
        let text = try shell.text("backups/\(first)")
        try shell.write("backups/\(first)", String(text.dropLast(20)))
        try backup()
        #expect(try files().filter { $0.hasSuffix("_full.dump") }.count == 2)
        // Version vectors begin a history of their own.
        try shell.run("upgrade", "shop", "--yes")
        try backup()
        #expect(try files().filter { $0.hasSuffix("_full.dump") }.count == 3)
        try shell.run("restore", "again", "backups")
        #expect(try content("again") == content("shop"))
    }

    @Test func `a full backup is made after the given time`() throws {
        var environment = try shell.preloading("clock_moved")
        environment["DIVAN_TEST_CLOCK"] = shell.path("clock")
        for hours in [0, 23, 25, 47, 49] {
            try shell.write("clock", "\(hours * 3_600)\n")
            let words = ["backup", "shop", "backups", "--full-every", "1d"]
            try shell.divan(words, environment: environment).expectSuccess()
        }
        let kinds = try files().map { $0.hasSuffix("_full.dump") }
        #expect(kinds == [true, false, true, false, true])
    }

    @Test func `no backup is made while the clock is behind the newest one`() throws {
        var environment = try shell.preloading("clock_moved")
        environment["DIVAN_TEST_CLOCK"] = shell.path("clock")
        try shell.write("clock", "3600\n")
        try shell.divan(["backup", "shop", "backups"], environment: environment).expectSuccess()
        let behind = try shell.divan("backup", "shop", "backups")
        behind.expectFailure(10, "is from the future", "move the backups with a wrong time")
        // Clocks are corrected by a few seconds all the time.
        try shell.write("clock", "3400\n")
        try shell.divan(["backup", "shop", "backups"], environment: environment).expectSuccess()
        #expect(try files().map { $0.hasSuffix("_full.dump") } == [true, false])
        try shell.run("restore", "again", "backups")
        #expect(try content("again") == content("shop"))
    }

    @Test func `databases with different names share a directory`() throws {
        try backup()
        try shell.run("new", "shop_2")
        try shell.run("put", "shop_2", "other", "{}")
        try shell.run("backup", "shop_2", "backups")
        try backup()
        #expect(try files().count == 3)
        try shell.run("new", "nothing-of-both")
        let unclear = try shell.divan("restore", "again", "backups")
        unclear.expectFailure(2, "several databases: shop, shop_2", "give the files instead")
        try shell.bash("mkdir elsewhere; mv shop*.cblite2 elsewhere/").expectSuccess()
        try shell.run("restore", "shop_2", "backups")
        #expect(try shell.run("ls", "shop_2").output.contains("other"))
    }

    @Test func `a second backup to the same directory at the same time is refused`() throws {
        try backup()
        let outcome = try shell.bash("flock backups/.shop.lock divan backup shop backups")
        outcome.expectFailure(10, "another backup of shop to backups is running")
    }

    @Test func `nothing old is removed if something is missing in the new backup`() throws {
        var environment = try shell.preloading("clock_moved")
        environment["DIVAN_TEST_CLOCK"] = shell.path("clock")
        for day in 0..<4 {
            try shell.write("clock", "\((day - 10) * 86_400)\n")
            let words = ["backup", "shop", "backups", "--full-every", "1d"]
            try shell.divan(words, environment: environment).expectSuccess()
        }
        try shell.bash("rm -r shop.cblite2/Attachments/*").expectSuccess()
        let words = ["backup", "shop", "backups", "--full-every", "1d", "--keep", "1d"]
        for _ in 0..<2 {
            let outcome = try shell.divan(words)
            #expect(outcome.status == 8 && outcome.errors.contains("1 blob missing"), "\(outcome)")
        }
        #expect(try files().count == 6)
    }

    @Test func `a database that was replaced is backed up in full`() throws {
        let running = try shell.start("backup", "shop", "backups", "--every", "1s")
        _ = try running.event { $0["kind"] as? String == "full" }
        try shell.run("new", "next")
        try shell.run("put", "next", "other", "{}")
        try shell.bash("mv shop.cblite2 former.cblite2; mv next.cblite2 shop.cblite2")
            .expectSuccess()
        _ = try running.event { $0["kind"] as? String == "full" }
        #expect(running.stop() == 0)
        try shell.run("restore", "again", "backups")
        #expect(try content("again") == content("shop"))
    }

    @Test(arguments: ["7", "7x", "0d", "d", "7d,", "10001d", "-1d"])
    func `an invalid retention is refused with an example`(_ text: String) throws {
        let outcome = try shell.divan("backup", "shop", "backups", "--keep", text)
        outcome.expectFailure(2, "invalid retention", "such as 7d,4w,12m,2y")
    }

    @Test func `repeated backups are made when the database has changed`() throws {
        let running = try shell.start("backup", "shop", "backups", "--every", "1s")
        _ = try running.event { $0["kind"] as? String == "full" }
        try shell.run("put", "shop", "two", #"{"n":2}"#)
        _ = try running.event { $0["kind"] as? String == "changes" && $0["documents"] as? Int == 1 }
        #expect(running.stop() == 0)
        try shell.run("restore", "again", "backups")
        #expect(try content("again") == content("shop"))
    }

    /// Backups are made, and some of them killed, while another process saves one document after the other.
    @Test func `each backup contains what was saved before it, whatever was killed`() throws {
        let count = ProcessInfo.processInfo.environment["DIVAN_LONG_TESTS"] == nil ? 10 : 100
        try shell.run("new", "load")
        let writer = try shell.startBash(
            """
            for n in $(seq 1 100000); do
                divan put load d-$n "{\\"n\\":$n}" 2>/dev/null && echo $n >acknowledged.new &&
                    mv acknowledged.new acknowledged
            done
            """
        )
        defer { _ = writer.kill() }
        func acknowledged() -> Int {
            (try? shell.text("acknowledged")).flatMap {
                Int($0.trimmingCharacters(in: .whitespacesAndNewlines))
            } ?? 0
        }
        var taken: [(time: String, before: Int, after: Int)] = []
        let seed = TestSeed.choose(below: 1_000_000)
        var generator = SeededGenerator(seed: seed)
        while taken.count < count {
            if Bool.random(using: &generator) {
                let seconds = Double.random(in: 0.001...0.06, using: &generator)
                // It holds the lock of the directory until it has ended.
                let killed = "divan backup load backups & sleep \(seconds); kill -KILL $!; wait"
                _ = try shell.bash("{ \(killed); } 2>/dev/null || true")
            }
            let before = acknowledged()
            let outcome = try shell.divan("backup", "load", "backups", "--json")
            outcome.expectSuccess()
            let time = try #require(try outcome.json()["time"] as? String)
            taken.append((time, before, acknowledged()))
        }
        _ = writer.kill()
        for (number, backup) in taken.enumerated() {
            try shell.run("restore", "then-\(number)", "backups", "--at", backup.time)
            let rows = try shell.run(
                "query",
                "then-\(number)",
                "SELECT n FROM _ ORDER BY n",
                "--format",
                "jsonl"
            )
            // Documents are saved in order: the last one says which state it is.
            let numbers = rows.output.split(separator: "\n").count
            // One more may have been saved and not acknowledged yet.
            #expect(
                (backup.before...backup.after + 1).contains(numbers),
                "seed \(seed), backup \(number): \(backup)"
            )
            let last = #"{"n":\#(numbers)}"#
            #expect(numbers == 0 || rows.output.hasSuffix("\(last)\n"), "seed \(seed)")
        }
    }
}
