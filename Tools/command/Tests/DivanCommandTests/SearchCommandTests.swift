import DivanDatabase
import DivanRevisions
import DivanTestKit
import Foundation
import Testing

@testable import DivanCommand

/// `divan search` and `divan index stats`.
@Suite struct SearchCommandTests {
    private let shell: Shell

    /// A database whose documents have words and vectors of two dimensions.
    init() throws {
        shell = try Shell()
        let documents = [
            ("beach", "a quiet beach", "[1,0]"), ("lake", "a quiet lake", "[0.9,0.1]"),
            ("city", "a loud city", "[0,1]"), ("sea", "waves", "[1,0.05]"),
            ("none", "no vector, not quiet", "null"),
        ]
        let lines = documents.map { id, text, vector in
            #"{"_id":"\#(id)","text":"\#(text)","vector":\#(vector)}"#
        }
        try shell.write("lines.jsonl", lines.joined(separator: "\n"))
        try shell.run("new", "travel")
        try shell.run("import", "travel", "lines.jsonl", "-c", "geo.places")
    }

    private func makeWords() throws {
        try shell.run("index", "make", "travel", "words", "text", "--text", "-c", "geo.places")
    }

    private func makeVectors() throws {
        let options = ["--vector", "2", "--centroids", "1", "-c", "geo.places"]
        try shell.divan(["index", "make", "travel", "near", "vector"] + options).expectSuccess()
    }

    private func search(_ text: String, _ options: String...) throws -> [String] {
        let words = ["search", "travel", text, "-c", "geo.places", "--json"] + options
        let outcome = try shell.divan(words)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return try outcome.output.split(separator: "\n").map { line in
            let hit = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return try #require(hit?["id"] as? String)
        }
    }

    @Test func `documents in several lists come before those in one`() {
        var search = Search(.default, where: nil)
        let ids = { (names: [String]) in names.map { DocumentID(unchecked: $0) } }
        search.add(ids(["a", "b", "c"]), of: "words")
        search.add(ids(["d", "c"]), of: "near")
        #expect(search.hits.map(\.documentID.text) == ["c", "a", "d", "b"])
        #expect(search.hits[0].ranks.map(\.index) == ["words", "near"])
        #expect(search.hits[0].ranks.map(\.rank) == [3, 2])
        #expect(search.hits[0].score == 1 / 63.0 + 1 / 62.0)
        search.add(ids((0..<200).map { "x\($0)" }), of: "long")
        #expect(search.hits.count == 104)
    }

    @Test func `words alone find the documents that contain them`() throws {
        try makeWords()
        #expect(Set(try search("quiet")) == ["beach", "lake", "none"])
        #expect(try search("quiet", "--where", "text LIKE '%lake'") == ["lake"])
        #expect(try search("absent") == [])
        #expect(try search("quiet", "--limit", "1").count == 1)
    }

    @Test func `words and vectors together put documents first that both find`() throws {
        try makeWords()
        try makeVectors()
        let model = "read text; [ \"$text\" = quiet ] && echo '[1,0]'"
        let found = try search("quiet", "--model", model)
        #expect(Set(found.prefix(2)) == ["beach", "lake"])
        #expect(Set(found) == ["beach", "lake", "none", "sea", "city"])
        let some = try search("quiet", "--model", model, "--where", "text != 'a quiet beach'")
        #expect(some.first == "lake" && !some.contains("beach"))
    }

    @Test func `vectors alone rank by distance`() throws {
        try makeVectors()
        #expect(try search("x", "--model", "echo [1,0]") == ["beach", "sea", "lake", "city"])
        #expect(try search("x", "--model", "echo [0,1]").first == "city")
    }

    @Test(
        arguments: [
            ("exit 3", "exited with status 3"), ("echo hello", "did not print a JSON array"),
            ("echo []", "did not print a JSON array"), ("echo '[\"1\"]'", "did not print a JSON"),
            ("yes", "printed more than"), ("kill -9 $$", "was killed by signal 9"),
            ("echo [1,2,3]", "is not a vector of 2 dimensions"),
        ]
    )
    func `a model that gives no vector is an error`(command: String, problem: String) throws {
        try makeVectors()
        let words = ["search", "travel", "x", "-c", "geo.places", "--model", command]
        let outcome = try shell.divan(words)
        #expect(outcome.status != 0)
        #expect(outcome.errors.contains(problem), "\(outcome.errors)")
    }

    @Test func `a text that is longer than a pipe is refused`() throws {
        try makeVectors()
        let text = String(repeating: "x", count: 40_000)
        let words = ["search", "travel", text, "-c", "geo.places", "--model", "echo [1,0]"]
        #expect(try shell.divan(words).errors.contains("longer than 32768 bytes"))
    }

    @Test func `index stats compares the index with all vectors`() throws {
        try makeVectors()
        let words = ["index", "stats", "travel", "near", "-c", "geo.places"]
        let text = try shell.divan(words).output
        #expect(text.contains("100.0 % of the 10 nearest, in 4 queries"))
        let line = try shell.divan(words + ["--json", "--queries", "2"]).output
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        #expect(object?["recall"] as? Double == 1)
        #expect(object?["vectors"] as? Int == 4)
        #expect(object?["queries"] as? Int == 2)
    }
}
