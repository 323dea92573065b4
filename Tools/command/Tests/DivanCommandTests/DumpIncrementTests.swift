import DivanTestKit
import Foundation
import Testing

/// What `divan dump --since` writes about documents that have no new sequence.
@Suite struct DumpIncrementTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "db", "--collections", "shop.menu")
        for name in ["a", "b", "c", "d"] { try shell.run("put", "db", name, "{}") }
        try shell.run("put", "db", "tea", "{}", "-c", "shop.menu")
        for name in ["a", "b"] { try shell.run("expire", "db", name, "2100-01-01T00:00:00Z") }
        try shell.run("dump", "db", "monday")
    }

    /// The lines of a dump except the first and the last, which name the database.
    private func inside(_ file: String) throws -> [Substring] {
        Array(try shell.text(file).split(separator: "\n").dropFirst().dropLast())
    }

    private func unchanged(_ file: String) throws -> [Substring] {
        try inside(file).filter { $0.contains("\"unchanged\":") }
    }

    /// Restores files, and compares the result with the current database.
    private func expectEqual(_ files: String..., name: String) throws {
        try shell.divan(["restore", name] + files).expectSuccess()
        try shell.run("dump", "db", "now")
        try shell.run("dump", name, "\(name).dump")
        #expect(try inside("\(name).dump") == inside("now"))
        #expect(try shell.run("check", name).status == 0)
    }

    @Test func `an incremental dump applies purges and changed expirations`() throws {
        try shell.run("purge", "db", "b")
        try shell.run("expire", "db", "a", "--clear")
        try shell.run("expire", "db", "c", "2101-01-01T00:00:00Z")
        try shell.run("put", "db", "d", #"{"n":2}"#)
        try shell.run("dump", "db", "tuesday", "--since", "monday")
        #expect(
            try unchanged("tuesday") == [
                #"{"collection":"_default._default","expires":[3,4133980800000],"#
                    + #""through":4,"unchanged":[1,1,3,1]}"#
            ]
        )
        try expectEqual("monday", "tuesday", name: "two")
        // A collection that only grew needs no such line.
        try shell.run("put", "db", "e", "{}")
        try shell.run("dump", "db", "wednesday", "--since", "tuesday")
        #expect(try unchanged("wednesday") == [])
        try expectEqual("monday", "tuesday", "wednesday", name: "three")
    }

    @Test func `an incremental dump can purge every document`() throws {
        try shell.run("purge", "db", "a", "b", "c", "d")
        try shell.run("purge", "db", "tea", "-c", "shop.menu")
        try shell.run("dump", "db", "tuesday", "--since", "monday")
        #expect(try unchanged("tuesday").count == 2)
        try expectEqual("monday", "tuesday", name: "again")
        #expect(try shell.run("ls", "again").output.isEmpty)
    }

    @Test func `a document with a later expiration is restored`() throws {
        try shell.run("expire", "db", "a", "2102-01-01T00:00:00Z")
        try shell.run("dump", "db", "tuesday", "--since", "monday")
        // As if its first expiration had passed when the dumps are read.
        let early = try shell.text("monday").replacing(":4102444800000", with: ":1")
        try shell.write("monday", early.replacing(/,"sha256":"[0-9a-f]{64}"/, with: ""))
        let first = try shell.run("restore", "first", "monday")
        #expect(first.errors.contains("Skipped 2 expired documents"), "\(first)")
        #expect(first.errors.contains("Restored 3 documents"), "\(first)")
        try expectEqual("monday", "tuesday", name: "again")
    }

    @Test func `a long list of unchanged documents is split into several lines`() throws {
        let lines = (0..<9_000).map { "{\"_id\":\"n\($0)\"}\n" }
        try shell.write("numbers.jsonl", lines.joined())
        try shell.run("import", "db", "numbers.jsonl")
        try shell.run("dump", "db", "before")
        let odd = stride(from: 1, to: 9_000, by: 2).map { "n\($0)" }
        try shell.divan(["purge", "db"] + odd).expectSuccess()
        try shell.run("dump", "db", "after", "--since", "before")
        #expect(try unchanged("after").count == 2)
        try expectEqual("before", "after", name: "again")
    }

    /// Replacements in the line of unchanged documents, and words of the error.
    private static let mistakes: [(text: String, by: String, words: String)] = [
        (#""unchanged":[1,3]"#, #""unchanged":[1,3,3,1]"#, "not in order"),
        (#""unchanged":[1,3]"#, #""unchanged":[1,5]"#, "not in order"),
        (#""unchanged":[1,3]"#, #""unchanged":[1,0]"#, "not in order"),
        (#""unchanged":[1,3]"#, #""unchanged":[1,9223372036854775807]"#, "not in order"),
        (#""unchanged":[1,3]"#, #""unchanged":[0,3]"#, "not a list of pairs"),
        (#""unchanged":[1,3]"#, #""unchanged":[1]"#, "not a list of pairs"),
        (#""unchanged":[1,3]"#, #""unchanged":{}"#, "not a list of pairs"),
        (#""through":4"#, #""through":9"#, "out of order"),
        (#""through":4"#, #""through":3"#, "missing"),
        (#""through":4"#, #""through":-1"#, "\"through\""),
        (#""expires":[2,"#, #""expires":[4,"#, "\"expires\""),
        (#""expires":[2,"#, #""expires":[2,0,2,"#, "\"expires\""),
        (#""collection":"_default._default""#, #""collection":"a.b""#, "cannot have unchanged"),
    ]

    @Test(arguments: mistakes.indices)
    func `an invalid line of an incremental dump is rejected`(_ index: Int) throws {
        let mistake = Self.mistakes[index]
        try shell.run("expire", "db", "a", "--clear")
        try shell.run("purge", "db", "d")
        try shell.run("dump", "db", "tuesday", "--since", "monday")
        let text = try shell.text("tuesday")
        let line = try #require(try unchanged("tuesday").first)
        let place = try #require(line.range(of: mistake.text), "\(line)")
        let wrong = line.replacingCharacters(in: place, with: mistake.by)
        let changed = text.replacing(line, with: wrong)
        try shell.write("tuesday", changed.replacing(/,"sha256":"[0-9a-f]{64}"/, with: ""))
        let outcome = try shell.divan("restore", "again", "monday", "tuesday")
        outcome.expectFailure(4, "tuesday:", mistake.words)
        #expect(!FileManager.default.fileExists(atPath: shell.path("again.cblite2")))
    }
}
