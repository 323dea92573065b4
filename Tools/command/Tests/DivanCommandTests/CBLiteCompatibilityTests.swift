import DivanTestKit
import Foundation
import Testing

/// What users of `cblite` and Unix expect, and what scripts do.
@Suite struct CBLiteCompatibilityTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "db", "--collections", "geo.places")
        for id in ["rome", "roma-2", "paris", "r*"] {
            try shell.run("put", "db", id, "{\"n\":\"\(id)\"}", "-c", "geo.places")
        }
    }

    @Test func `commands of the cblite tool work`() throws {
        let made = try shell.run("mkcoll", "db", "geo.rivers", "lakes", "geo.rivers").errors
        #expect(made.components(separatedBy: "Created").count == 3, "\(made)")
        #expect(try shell.run("lscoll", "db").output.contains("geo.rivers"))
        #expect(
            try shell.run("select", "db", "n FROM geo.places WHERE n LIKE 'p%'", "--json").output
                == "{\"n\":\"paris\"}\n"
        )
        try shell.run("mkindex", "db", "byN", "n", "-c", "geo.places")
        #expect(try shell.run("index", "ls", "db", "-c", "geo.places").output.contains("byN"))
        try shell.write("kept.cbllog", "2026-11-20T08:00:00.000000Z DB info hello\n")
        #expect(try shell.run("logcat", "kept.cbllog").output.contains("hello"))
        #expect(
            try shell.divan(["open", "db"], input: "SELECT COUNT(*) FROM geo.places;\n").output
                .contains("4")
        )
    }

    @Test func `ls accepts patterns, pages, an order and bodies`() throws {
        func list(_ words: String...) throws -> [String] {
            let outcome = try shell.divan(["ls", "db", "-c", "geo.places"] + words)
            outcome.expectSuccess()
            return outcome.output.split(separator: "\n").map(String.init)
        }
        #expect(try list() == ["paris", "r*", "roma-2", "rome"])
        #expect(try list("ro") == ["roma-2", "rome"])
        #expect(try list("rom?") == ["rome"])
        #expect(try list("*-2") == ["roma-2"])
        #expect(try list("*a*") == ["paris", "roma-2"])
        #expect(try list("r?") == ["r*"])
        #expect(try list("?") == [])
        #expect(try list("--offset", "1", "--limit", "2") == ["r*", "roma-2"])
        #expect(try list("--desc") == ["rome", "roma-2", "r*", "paris"])
        #expect(try list("--desc", "--offset", "1", "--limit", "1") == ["roma-2"])
        #expect(try list("pa", "--body") == ["paris  {\"n\":\"paris\"}"])
        let long = try shell.run("ls", "db", "pa", "-c", "geo.places", "--body", "--json").json()
        #expect((long["body"] as? [String: Any])?["n"] as? String == "paris")
    }

    @Test func `ls of an empty default collection lists the others`() throws {
        let outcome = try shell.run("ls", "db")
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("geo.places (4)\nhint: run 'divan ls db -c geo.places'\n"))
        #expect(try shell.run("ls", "db", "--json").errors.isEmpty)
        #expect(try shell.run("ls", "db", "-c", "_default").errors.isEmpty)
    }

    @Test func `an existing collection is not reported as created`() throws {
        let both = try shell.run("mkcoll", "db", "geo.places", "geo.new")
        #expect(both.errors == "geo.places already exists\nCreated geo.new\n")
        for option in [[], ["--dry-run"]] {
            let again = try shell.divan(["collections", "db", "--make", "geo.new"] + option)
            again.expectSuccess()
            #expect(again.errors == "geo.new already exists\n")
        }
        let machine = try shell.run("mkcoll", "db", "geo.new", "--json").json()
        #expect(machine["existing"] as? String == "geo.new" && machine["made"] == nil)
    }

    @Test func `removing the default collection is reported as emptying it`() throws {
        try shell.run("put", "db", "one", "{}")
        try shell.divan("collections", "db", "--rm", "_default")
            .expectFailure(2, "Empty _default with 1 document?")
        try shell.divan("collections", "db", "--rm", "_default", "--rm", "geo.places")
            .expectFailure(2, "Remove geo.places and empty _default with 5 documents?")
        let rehearsed = try shell.run("collections", "db", "--rm", "_default", "--dry-run")
        #expect(rehearsed.errors == "Would empty _default with 1 document\n")
        let emptied = try shell.run("collections", "db", "--rm", "_default", "--yes")
        #expect(emptied.errors == "Emptied _default (the default collection cannot be removed)\n")
        #expect(try shell.run("ls", "db", "-c", "_default").output.isEmpty)
    }

    @Test func `index ls without indexes lists collections that have some`() throws {
        try shell.run("index", "make", "db", "byN", "n", "-c", "geo.places")
        let outcome = try shell.run("index", "ls", "db")
        #expect(outcome.output.isEmpty)
        #expect(
            outcome.errors.hasSuffix(
                "have some: geo.places\nhint: run 'divan index ls db -c geo.places'\n"
            )
        )
        #expect(try shell.run("index", "ls", "db", "-c", "_default").errors == "No indexes\n")
        #expect(try shell.run("index", "ls", "db", "--json").errors.isEmpty)
    }

    @Test func `a dry run changes nothing and reports what would be removed`() throws {
        let place = ["-c", "geo.places"]
        let removal = try shell.divan(["rm", "db", "rome", "paris", "--dry-run"] + place)
        removal.expectSuccess()
        #expect(removal.errors == "Would delete 2 documents\n")
        let purge = try shell.divan(["rm", "db", "rome", "--purge", "--dry-run", "--json"] + place)
        #expect(try purge.json()["dryRun"] as? Bool == true)
        try shell.divan(["rm", "db", "oslo", "--dry-run"] + place).expectFailure(3, "oslo")
        let collection = try shell.run("collections", "db", "--rm", "geo.places", "--dry-run")
        #expect(collection.errors == "Would remove geo.places with 4 documents\n")
        try shell.divan("collections", "db", "--rm", "geo.none", "--dry-run").expectFailure(3)
        try shell.run("identity", "new", "robot", "--key", "p256")
        #expect(
            try shell.run("identity", "rm", "robot", "--dry-run").errors == "Would delete robot\n"
        )
        #expect(try shell.run("identity", "ls").output.hasPrefix("robot"))
        #expect(try shell.divan(["ls", "db"] + place).output == "paris\nr*\nroma-2\nrome\n")
    }

    @Test func `purge and users support --dry-run`() throws {
        let place = ["-c", "geo.places"]
        let purge = try shell.divan(["purge", "db", "rome", "paris", "--dry-run"] + place)
        #expect(purge.errors == "Would purge 2 documents\n")
        try shell.divan(["purge", "db", "oslo", "--dry-run"] + place).expectFailure(3, "oslo")
        #expect(
            try shell.run("purge", "db", "--expired", "--dry-run").errors.contains("0 documents")
        )
        #expect(try shell.divan(["ls", "db"] + place).output == "paris\nr*\nroma-2\nrome\n")
        try shell.write("pw", "plover\n")
        try shell.run("users", "add", "users.json", "bo", "--password-file", "pw")
        let removal = try shell.run("users", "rm", "users.json", "bo", "--dry-run")
        #expect(removal.errors == "Would remove bo\n")
        try shell.divan("users", "rm", "users.json", "eve", "--dry-run").expectFailure(3, "eve")
        #expect(try shell.run("users", "ls", "users.json").output.hasPrefix("bo"))
    }

    @Test func `commands print only their result`() throws {
        let made = try shell.run("new", "quiet", "-c", "lakes")
        #expect((made.output + made.errors).split(separator: "\n").count == 1, "\(made)")
        let saved = try shell.run("put", "quiet", "como", "{}", "-c", "lakes")
        #expect((saved.output + saved.errors).split(separator: "\n").count == 1, "\(saved)")
        let listed = try shell.run("ls", "quiet", "-c", "lakes")
        #expect(listed.output == "como\n" && listed.errors.isEmpty, "\(listed)")
        let asked = try shell.divan(["open", "quiet"], input: "SELECT COUNT(*) AS n FROM lakes;\n")
        #expect(asked.errors.isEmpty, "\(asked)")
    }

    @Test func `serve keeps its certificate and prints its expiration`() throws {
        var certificates: Set<String> = []
        for _ in 0..<2 {
            let terminal = try PseudoTerminal(
                shell,
                ["serve", "db", "--interface", "127.0.0.1", "--write-certificate", "db.pem"]
            )
            try terminal.waits(for: "Press Ctrl-C")
            let year = try #require(
                terminal.screen.text.firstMatch(of: /expires on (\d{4})-\d\d-\d\d/)
            )
            #expect((Int(year.1) ?? 0) >= Calendar.current.component(.year, from: Date()))
            #expect(!terminal.screen.text.contains("log"))
            terminal.type("\u{3}")
            #expect(terminal.end() == 0)
            certificates.insert(try shell.text("db.pem"))
        }
        #expect(certificates.count == 1)
    }

    @Test func `a document in another collection is reported with that collection`() throws {
        for verb in ["get", "rm", "explain", "revs"] {
            try shell.divan(verb, "db", "rome").expectFailure(3, "use '-c geo.places'")
        }
        try shell.divan("get", "db", "oslo", "-c", "geo.places")
            .expectFailure(3, "run 'divan ls -c geo.places'")
        try shell.divan("get", "db", "rome", "-c", "geo.place")
            .expectFailure(3, "collection 'geo.place' not found", "did you mean 'geo.places'?")
        try shell.divan("get", "db", "rome", "-c", "sea")
            .expectFailure(3, "'divan collections db'", "'divan mkcoll db sea'")
        try shell.run("new", "other", "-c", "geo.places,lakes")
        #expect(try shell.run("lscoll", "other").output.contains("lakes"))
        #expect(try shell.run("compare", "db", "db", "-c", "geo.places").output.hasPrefix("Equal"))
    }

    @Test func `with --json a command without output prints its result`() throws {
        #expect(try shell.run("new", "other", "--json").json()["database"] as? String != nil)
        let removed = try shell.run("rm", "db", "rome", "-c", "geo.places", "--json").json()
        #expect(removed["deleted"] as? [String] == ["rome"])
        let upgraded = try shell.run("upgrade", "other", "--yes", "--json").json()
        #expect(upgraded["upgraded"] as? Bool == true)
    }

    @Test func `with --json an error is an object`() throws {
        let outcome = try shell.divan("get", "db", "nobody", "--json")
        #expect(outcome.status == 3)
        let value = try JSONSerialization.jsonObject(with: Data(outcome.errors.utf8))
        let error = try #require((value as? [String: Any])?["error"] as? [String: Any])
        #expect(error["exit"] as? Int == 3)
        #expect(error["kind"] as? String == "notFound")
        #expect((error["sentence"] as? String)?.contains("nobody") == true)
        #expect(outcome.output.isEmpty)
        let usage = try shell.divan("get", "--json")
        #expect(usage.errors.hasPrefix("{\"error\":{\"exit\":2"))
    }

    @Test func `on a terminal an import shows its progress and remaining time`() throws {
        let line = "{\"text\":\"\(String(repeating: "x", count: 200))\"}\n"
        try shell.write("many.jsonl", String(repeating: line, count: 5000))
        let terminal = try PseudoTerminal(shell, ["import", "db", "many.jsonl"])
        #expect(terminal.end() == 0)
        #expect(terminal.output.contains(" imported, 0 %, "), "\(terminal.output)")
        #expect(terminal.output.contains(" left"))
        #expect(terminal.screen.text.contains("Imported 5,000 documents"))
    }

    @Test func `--version lists protocols and libraries`() throws {
        let lines = try shell.run("--version").output.split(separator: "\n")
        #expect(lines.first?.hasPrefix("divan 0.") == true)
        #expect(lines.contains { $0.hasPrefix("protocols: ") && $0.contains("BLIP_3+CBMobile_4") })
        #expect(lines.contains { $0.contains("SQLite 3.") && $0.contains("OpenSSL 3.") })
        #expect(lines.contains { $0.hasPrefix("codecs: deflate") })
    }

    @Test func `--version supports --json`() throws {
        let object = try shell.run("--version", "--json").json()
        let version = try #require(object["version"] as? String)
        #expect(try shell.run("--version").output.hasPrefix("divan \(version)"))
        #expect((object["protocols"] as? [String])?.contains("BLIP_3+CBMobile_4") == true)
        #expect((object["libraries"] as? [String: String])?["SQLite"]?.hasPrefix("3.") == true)
    }
}
