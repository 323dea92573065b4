import DivanTestKit
import Foundation
import Testing

/// Messages of verbs that once said too little, or something else.
@Suite(.timeLimit(.minutes(5))) struct CommandMessageTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "db")
        try shell.run("put", "db", "one", #"{"n":1}"#)
    }

    @Test func `select accepts a query that starts with SELECT`() throws {
        let rows = "{\"n\":1}\n"
        for text in ["n FROM _", "SELECT n FROM _", "select n FROM _", "SELECT\n\tn FROM _"] {
            #expect(try shell.run("select", "db", text, "--json").output == rows)
        }
        #expect(try shell.divan("select", "db", "selected FROM _", "--json").output == "{}\n")
    }

    @Test func `CSV of one column has no empty lines`() throws {
        try shell.run("put", "db", "two", #"{"n":null}"#)
        let text = try shell.run("query", "db", "SELECT n FROM _ ORDER BY n", "--format", "csv")
            .output
        #expect(text == "n\n1\n\"\"\n")
        try shell.divan("query", "db", "SELECT n FROM _", "--json", "--format", "csv")
            .expectFailure(2, "'--json' and '--format csv' cannot be combined")
        #expect(
            try shell.run("query", "db", "SELECT n FROM _", "--json", "--format", "json").output
                .hasPrefix("[{")
        )
    }

    @Test func `doctor reports only the given collections`() throws {
        try shell.run("mkcoll", "db", "zoo.cats")
        try shell.divan("doctor", "db", "-c", "nosuch").expectFailure(3, "nosuch")
        let told = try shell.run("doctor", "db", "-c", "zoo.cats").output
        #expect(told.contains("zoo.cats: 0 documents") && !told.contains("_default:"), "\(told)")
    }

    @Test func `importing a directory without documents is an error`() throws {
        try shell.bash("mkdir empty").expectSuccess()
        try shell.divan("import", "db", "empty")
            .expectFailure(3, "empty: the directory contains no .json files")
    }

    @Test func `import --json reports why documents were skipped`() throws {
        try shell.write("some.jsonl", "{\"_id\":\"a\"}\n[]\n{\"_id\":\"b\",\"_rev\":1}\n")
        let outcome = try shell.divan("import", "db", "some.jsonl", "--keep-going", "--json")
        #expect(outcome.status == 8, "\(outcome)")
        let problems = outcome.errors.split(separator: "\n").filter {
            $0.hasPrefix(#"{"problem":"#)
        }
        #expect(problems.count == 2, "\(outcome.errors)")
    }

    @Test func `compare --json prints an object for each difference`() throws {
        try shell.run("new", "other")
        try shell.run("put", "other", "one", #"{"n":2}"#)
        try shell.run("put", "other", "two", "{}")
        let outcome = try shell.divan("compare", "db", "other", "--json")
        #expect(outcome.status == 9 && !outcome.errors.contains("lines"), "\(outcome.errors)")
        let found = try #require(try outcome.json()["differences"] as? [[String: Any]])
        #expect(found.map { $0["id"] as? String } == ["two", "one"])
        #expect(found.map { $0["difference"] as? String } == ["document", "revision"])
        #expect(found.allSatisfy { $0["collection"] as? String == "_default" })
        let names = try #require(found[1]["revisions"] as? [String])
        #expect(names.count == 2 && names.allSatisfy { $0.hasPrefix("1-") })
    }

    @Test func `rm and purge have the same JSON output`() throws {
        try shell.run("put", "db", "two", "{}")
        let removed = try shell.run("rm", "db", "one", "--json").json()
        #expect(removed["deleted"] as? [String] == ["one"] && removed["documents"] as? Int == 1)
        let purged = try shell.run("purge", "db", "one", "two", "--json").json()
        #expect(
            purged["purged"] as? [String] == ["one", "two"] && purged["documents"] as? Int == 2
        )
    }

    @Test func `dump and restore report missing blobs under the same JSON key`() throws {
        let told = try shell.run("dump", "db", "db.dump", "--json").json()
        #expect((told["missingBlobs"] as? [String])?.isEmpty == true)
        let restored = try shell.run("restore", "again", "db.dump", "--json").json()
        #expect((restored["missingBlobs"] as? [String])?.isEmpty == true)
    }

    @Test func `compress reports that it compressed nothing`() throws {
        let told = try shell.run("compress", "db").errors
        #expect(
            told.hasPrefix("_default is not compressed yet: it has fewer than 64 "),
            "\(told)"
        )
        #expect(told.contains("; database file: "), "\(told)")
        #expect(try shell.run("compress", "db", "--json").json()["packed"] as? Bool == false)
    }

    @Test func `certs show also reports that the argument is not an existing file`() throws {
        try shell.divan("certs", "show", "no-such-file.invalid").expectFailure(
            6,
            "a file 'no-such-file.invalid' does not exist"
        )
    }

    @Test func `conflicts resolve without conflicts succeeds`() throws {
        let outcome = try shell.run("conflicts", "resolve", "db", "--all", "--merge")
        #expect(outcome.errors == "No conflicts in _default\n")
    }

    @Test func `index commands use the common messages`() throws {
        #expect(try shell.run("index", "ls", "db").errors == "No indexes\n")
        #expect(
            try shell.run("index", "make", "db", "byN", "n").errors
                == "Created index byN of _default\n"
        )
        #expect(
            try shell.run("index", "rm", "db", "byN").errors == "Removed index byN of _default\n"
        )
    }

    @Test func `top distinguishes two databases with the same name`() throws {
        try shell.bash("mkdir left right; divan new left/notes; divan new right/notes")
            .expectSuccess()
        let watchers = try ["left", "right"].map { try shell.start("watch", "\($0)/notes") }
        for watcher in watchers { _ = try watcher.event(named: "watching") }
        let lines = try shell.run("top", "left/notes", "right/notes").output
        #expect(lines.contains(" left/notes ") && lines.contains(" right/notes"), "\(lines)")
        #expect(try !shell.run("top", "left/notes").output.contains("left/"))
        for watcher in watchers { watcher.stop() }
    }
}
