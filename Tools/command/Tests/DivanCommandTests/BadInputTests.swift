import DivanTestKit
import Foundation
import Testing

/// Each mistake gets one clear line on standard error and its own exit code, and loses nothing.
@Suite struct BadInputTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "db")
        try shell.run("put", "db", "kept", #"{"n":1}"#)
    }

    /// One line that begins with the program's name; it, or its hint, contains the words; the right exit code.
    private func expect(
        _ outcome: Program.Outcome,
        _ status: Int32,
        _ words: String...,
        location: SourceLocation = #_sourceLocation
    ) {
        let text = outcome.errors
        #expect(outcome.status == status, "\(text)", sourceLocation: location)
        let complaints = outcome.complaints.filter { $0.hasPrefix("divan: ") }
        #expect(complaints.count == 1, "\(text)", sourceLocation: location)
        let told = complaints + outcome.complaints.filter { $0.hasPrefix("hint: ") }
        for word in words {
            #expect(
                told.contains { $0.contains(word) },
                "\(word): \(text)",
                sourceLocation: location
            )
        }
    }

    private func expectNothingLost() throws {
        #expect(try shell.run("get", "db", "kept", "--raw").output == "{\"n\":1}\n")
    }

    @Test(arguments: [
        ["info"], ["ls"], ["get", "x"], ["put", "x", "{}"], ["import", "f.jsonl"], ["export"],
        ["edit", "x"], ["purge", "x"], ["expire", "x"], ["expire", "x", "1d"], ["revs", "x"],
        ["collections"], ["collections", "--make", "x"], ["compact"], ["check"], ["cp", "y"],
        ["repair-clock"],
        ["cp", "y.jsonl"], ["watch"], ["dump"], ["export", "x.sqlite"], ["export", "x.csv"],
    ])
    func `a missing database is reported`(_ words: [String]) throws {
        let outcome = try shell.divan([words[0], "missing"] + words.dropFirst())
        expect(outcome, 3, "missing.cblite2", "database not found")
        #expect(!FileManager.default.fileExists(atPath: shell.path("missing.cblite2")))
    }

    @Test func `a database of a newer format is rejected and kept unchanged`() throws {
        // The user version is at byte 60 of an SQLite file, big-endian.
        let file = shell.path("db.cblite2/db.sqlite3")
        var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        let original = bytes
        bytes.replaceSubrange(60..<64, with: [0x7F, 0, 0, 1])
        try bytes.write(to: URL(fileURLWithPath: file))
        expect(try shell.divan("ls", "db"), 5, "newer version of Divan")
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == bytes)
        try original.write(to: URL(fileURLWithPath: file))
        try expectNothingLost()
    }

    @Test func `a file that is not a database is rejected and kept unchanged`() throws {
        let file = shell.path("db.cblite2/db.sqlite3")
        let text = Data(String(repeating: "this is no database. ", count: 300).utf8)
        try text.write(to: URL(fileURLWithPath: file))
        expect(try shell.divan("ls", "db"), 5, "db.sqlite3", "not a Divan database")
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == text)
    }

    @Test func `a damaged database is reported`() throws {
        for number in 0..<400 {
            try shell.write("\(number).txt", "")
        }
        let lines = (0..<2000).map {
            "{\"_id\":\"d\($0)\",\"text\":\"\(String(repeating: "x", count: 50))\"}"
        }
        try shell.write("many.jsonl", lines.joined(separator: "\n"))
        try shell.run("import", "db", "many.jsonl")
        let file = shell.path("db.cblite2/db.sqlite3")
        var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        for page in 1..<(bytes.count / 4096) {
            bytes.replaceSubrange(
                page * 4096..<page * 4096 + 64,
                with: Data(repeating: 0xFF, count: 64)
            )
        }
        try bytes.write(to: URL(fileURLWithPath: file))
        expect(try shell.divan("ls", "db"), 5, "damaged", "backup")
    }

    @Test func `a read-only directory is reported`() throws {
        expect(try shell.divan("new", "/sys/divan"), 5, "/sys/divan.cblite2")
    }

    @Test func `an existing database is not overwritten`() throws {
        expect(try shell.divan("new", "db"), 10, "already", "another name")
        try expectNothingLost()
    }

    @Test func `a missing collection is reported`() throws {
        expect(try shell.divan("ls", "db", "-c", "geo.missing"), 3, "geo.missing")
        expect(try shell.divan("ls", "db", "-c", "a.b.c"), 4, "scope.name")
    }

    @Test(arguments: ["", "_leading", "tab\there", String(repeating: "x", count: 241)])
    func `an invalid document ID is rejected`(_ documentID: String) throws {
        expect(try shell.divan("put", "db", documentID, "{}"), 4, "invalid document ID")
        try expectNothingLost()
    }

    @Test(arguments: ["[1]", "{\"a\":}", "{\"a\":01}", ""])
    func `a body that is not a JSON object is rejected`(_ body: String) throws {
        expect(try shell.divan(["put", "db", "x"], input: body), 4, "body")
    }

    @Test func `invalid JSON in an import stops it at the line`() throws {
        try shell.write("bad.jsonl", "{\"_id\":\"a\"}\n{\"_id\":\"b\"\n{\"_id\":\"c\"}\n")
        let outcome = try shell.divan("import", "db", "bad.jsonl")
        expect(outcome, 4, "bad.jsonl:2, column 11: ", "1 document was saved", "--keep-going")
        #expect(!outcome.errors.contains("line 1"), "\(outcome.errors)")
        #expect(try shell.run("ls", "db").output == "a\nkept\n")
    }

    @Test(arguments: [
        ("\u{FEFF}\n  {\"a\":}\n", "2, column 8"), ("\u{FEFF}{\"a\":}\n", "1, column 6"),
        ("[{}, {\"a\":}]", "1, column 11"), ("[{},\n {\n\"a\":}]", "3, column 5"),
    ])
    func `a JSON error is reported with its line and column`(
        _ text: String,
        _ place: String
    ) throws {
        try shell.write("bad.jsonl", text)
        expect(try shell.divan("import", "db", "bad.jsonl"), 4, "bad.jsonl:\(place): ")
    }

    @Test func `an empty file in a directory is reported by name`() throws {
        _ = try shell.bash("mkdir in && echo ' ' >in/x.json")
        expect(try shell.divan("import", "db", "in"), 4, "in/x.json:2, column 1: the text is empty")
    }

    @Test func `with --keep-going an import skips invalid lines`() throws {
        try shell.write(
            "bad.jsonl",
            "{\"_id\":\"a\"}\n{\"_id\":\"b\"\n{\"_id\":\"_x\"}\n{\"_id\":\"c\"}\n"
        )
        let outcome = try shell.divan("import", "db", "bad.jsonl", "--keep-going")
        #expect(outcome.status == 8, "\(outcome.errors)")
        #expect(outcome.errors.contains("bad.jsonl:2"))
        #expect(outcome.errors.contains("bad.jsonl:3"))
        #expect(outcome.errors.contains("2 documents were skipped"))
        #expect(try shell.run("ls", "db").output == "a\nc\nkept\n")
    }

    @Test func `a second writer is rejected or uses the running process`() throws {
        let server = try shell.serve("db", "--no-tls")
        _ = try server.url()
        expect(try shell.divan("upgrade", "db"), 5, "in use by divan serve, process ")
        try expectNothingLost()
        try shell.run("put", "db", "x", "{}")
        server.stop()
    }

    @Test func `a full disk is reported and loses nothing`() throws {
        let disk = try SmallDisk(shell)
        #expect(try disk.divan("new", "disk/db").status == 0)
        let line = "{\"text\":\"\(String(repeating: "0123456789", count: 400))\"}\n"
        try shell.write("many.jsonl", String(repeating: line, count: 2000))
        expect(try disk.divan("import", "disk/db", "many.jsonl"), 5, "no space left", "free some")
        #expect(try disk.divan("ls", "disk/db").status == 0)
        #expect(try disk.divan("info", "disk/db").status == 0)
    }

    @Test(arguments: [
        (["frobnicate"], "see 'divan --help'"), (["ls"], "see 'divan ls --help'"),
        (["ls", "db", "--frob"], "see 'divan ls --help'"),
        (["ls", "db", "--limit", "x"], "use a number from "),
    ])
    func `a usage error prints a hint`(_ words: [String], _ hint: String) throws {
        let outcome = try shell.divan(words)
        expect(outcome, 2)
        #expect(outcome.errors.contains("\nhint: \(hint)"), "\(outcome.errors)")
    }

    @Test func `control characters in an ID are escaped`() throws {
        let outcome = try shell.divan("get", "db", "evil\u{1B}[2J")
        #expect(outcome.status == 3)
        #expect(!outcome.errors.contains("\u{1B}"))
    }
}
