import DivanTestKit
import Foundation
import Testing

/// What the command suggests for a name that no document, collection or index has.
@Suite struct HintTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "shop")
        try shell.run("collections", "shop", "--make", "shop.chairs")
        for (id, body) in [
            (
                "c1",
                #"{"name":"Oslo","story":"A light wooden chair","size":{"width":50},"tags":[{"word":"a"}]}"#
            ),
            ("c2", #"{"name":"Bern","price":340.5,"story":"Running castors"}"#),
        ] {
            try shell.run("put", "shop", "-c", "shop.chairs", id, body)
        }
    }

    private func hint(_ sql: String) throws -> String {
        try shell.run("query", "shop", sql).errors
    }

    @Test(arguments: [
        ("SELECT nme FROM shop.chairs", "nme", "name"),
        ("SELECT name FROM shop.chairs WHERE prise > 3", "prise", "price"),
        ("SELECT size.widht FROM shop.chairs", "size.widht", "size.width"),
        ("SELECT c.Name FROM shop.chairs AS c", "Name", "name"),
        ("SELECT UPPER(nmae), name FROM shop.chairs", "nmae", "name"),
        ("SELECT t.word FROM shop.chairs AS c UNNEST c.tgas AS t", "tgas", "tags"),
        (
            "SELECT COUNT(*) AS n FROM shop.chairs GROUP BY nme HAVING nme IS NOT MISSING", "nme",
            "name"
        ),
        ("SELECT name FROM shop.chairs ORDER BY prise", "prise", "price"),
        ("SELECT COUNT(*) AS n FROM shop.chairs GROUP BY nme", "nme", "name"),
        ("SELECT COUNT(nme) FROM shop.chairs", "nme", "name"),
        ("SELECT name FROM shop.chairs WHERE prise = 3 OR name = 'Bern'", "prise", "price"),
        ("SELECT name FROM shop.chairs WHERE prise IS MISSING", "prise", "price"),
    ])
    func `an unknown property gets a suggestion of the nearest one`(
        sql: String,
        name: String,
        meant: String
    ) throws {
        let found = try hint(sql)
        #expect(
            found.contains(
                "hint: no document of shop.chairs has the property \(name); did you mean \(meant)?"
            ),
            "\(found)"
        )
    }

    @Test func `an unknown property without a similar one lists the properties`() throws {
        let found = try hint("SELECT colour FROM shop.chairs")
        #expect(
            found.contains(
                "has the property colour; its properties are name, price, size, story, tags"
            )
        )
    }

    @Test(arguments: [
        "SELECT name, price FROM shop.chairs", "SELECT price FROM shop.chairs WHERE name = 'Oslo'",
        "SELECT * FROM shop.chairs WHERE name = 'nobody'", "SELECT size.width FROM shop.chairs",
        "SELECT META().id FROM shop.chairs WHERE FALSE", "SELECT nme FROM _",
        "SELECT COUNT(*) FROM _",
    ])
    func `a known property and an empty collection cause no hint`(sql: String) throws {
        #expect(try !hint(sql).contains("hint"))
    }

    @Test func `with --json hints are printed on standard error`() throws {
        let outcome = try shell.run("query", "shop", "SELECT nme FROM shop.chairs", "--json")
        #expect(outcome.output == "{}\n{}\n")
        #expect(outcome.errors.contains("hint: no document of shop.chairs has the property nme"))
    }

    @Test func `the condition of an index with an unknown property gets a suggestion`() throws {
        let words = ["index", "make", "shop", "cheap", "name", "-c", "shop.chairs"]
        let outcome = try shell.divan(words + ["--where", "prise = 3"])
        #expect(
            outcome.errors.contains(
                "no document of shop.chairs has the property prise; did you mean price?"
            )
        )
        #expect(!outcome.errors.contains("Run divan"), "\(outcome.errors)")
        let known = try shell.divan(words + ["--where", "price = 3"])
        #expect(!known.errors.contains("warning"), "\(known.errors)")
    }

    /// Runs the command that a message ends with.
    private func follow(_ errors: String, from start: String) throws {
        let line = try #require(errors.split(separator: "\n").first { $0.contains(start) })
        let command = line[try #require(line.range(of: start)).lowerBound...]
        let words = command.split(separator: " ").dropFirst().map { word in
            word.filter { $0 != "'" }
        }
        let outcome = try shell.divan(words)
        #expect(outcome.status == 0, "\(command): \(outcome.errors)")
    }

    @Test(arguments: [
        ("SELECT name FROM shop.chairs WHERE MATCH(words, 'running')", "Bern"),
        ("SELECT name FROM shop.chairs WHERE name > 'A' AND MATCH(name, 'oslo')", "Oslo"),
        ("SELECT c.name FROM shop.chairs AS c WHERE MATCH(c.words, 'wooden')", "Oslo"),
    ])
    func `MATCH without an index suggests a working index command`(
        sql: String,
        expected: String
    ) throws {
        let outcome = try shell.divan(["query", "shop", sql])
        #expect(outcome.status == 4)
        try follow(outcome.errors, from: "divan index make")
        #expect(try shell.run("query", "shop", sql).output.contains(expected))
    }

    @Test func `MATCH with a value index suggests a full-text index of another name`() throws {
        try shell.run("index", "make", "shop", "story", "-c", "shop.chairs", "story")
        let sql = "SELECT name FROM shop.chairs WHERE MATCH(story, 'running')"
        let outcome = try shell.divan(["query", "shop", sql])
        #expect(outcome.status == 4 && outcome.errors.contains("not a full-text index"))
        try follow(outcome.errors, from: "divan index make")
        let list = try shell.run("index", "ls", "shop", "-c", "shop.chairs").output
        #expect(list.contains("story      value: story"), "\(list)")
        let other = sql.replacingOccurrences(of: "MATCH(story", with: "MATCH(storyText")
        #expect(try shell.run("query", "shop", other).output.contains("Bern"))
    }

    @Test func `MATCH with a misspelt index suggests the existing one`() throws {
        try shell.run("index", "make", "shop", "words", "-c", "shop.chairs", "story", "--text")
        let outcome = try shell.divan(
            ["query", "shop", "SELECT name FROM shop.chairs WHERE MATCH(wrods, 'a')"]
        )
        #expect(outcome.status == 4 && outcome.errors.contains("did you mean MATCH(words, …)?"))
    }

    @Test(arguments: [
        (["byName", "-c", "shop.chiars", "name"], 3), (["byName", "-c", "chairs", "name"], 3),
        (["byName", "-c", "shop.chairs", "nmae"], 0), (["byName", "name"], 0),
        (["words", "story", "--text"], 0), (["byName", "-c", "shop.chairs", "UPPER(nmae)"], 0),
        (["byName", "-c", "shop.chairs", "--array", "tgas", "word"], 0),
    ])
    func `an index of a wrong collection or property suggests the right command`(
        words: [String],
        status: Int
    ) throws {
        let outcome = try shell.divan(["index", "make", "shop"] + words)
        #expect(outcome.status == status, "\(outcome.errors)")
        try follow(outcome.errors, from: "divan index make")
        let list = try shell.run("index", "ls", "shop", "-c", "shop.chairs").output
        #expect(["name", "story", "of tags"].contains { list.contains($0) }, "\(list)")
    }

    @Test func `an index of known properties causes no warning`() throws {
        for words in [["byName", "name", "price"], ["byTag", "--array", "tags", "word"]] {
            let outcome = try shell.divan(["index", "make", "shop", "-c", "shop.chairs"] + words)
            #expect(outcome.status == 0 && !outcome.errors.contains("warning"), "\(outcome.errors)")
        }
    }
}
