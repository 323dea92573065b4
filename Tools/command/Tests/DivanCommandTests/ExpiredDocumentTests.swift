import DivanDatabase
import DivanRevisions
import DivanTestKit
import Foundation
import Testing

/// An expired document is not shown, and a verb that reads does not purge it.
@Suite struct ExpiredDocumentTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "db", "--collections", "zoo.cats")
        for (id, number) in [("kept", 1), ("over", 2)] {
            for place in ["_default", "zoo.cats"] {
                try shell.run("put", "db", id, "{\"n\":\(number)}", "-c", place)
            }
        }
        // With `expire`, a time in the past purges at once.
        let store = try Store.open(directory: shell.path("db.cblite2"))
        defer { try? store.close() }
        try store.write { writer in
            for path in try writer.collections() {
                try writer.setExpiration(1, of: DocumentID(unchecked: "over"), in: path)
            }
        }
    }

    private func query(_ text: String) throws -> String {
        try shell.run("query", "db", text, "--json").output
    }

    private func expectStillThere() throws {
        let told = try shell.run("purge", "db", "--expired", "--dry-run", "--json").json()
        #expect(told["documents"] as? Int == 2)
    }

    @Test func `lists omit an expired document`() throws {
        #expect(try shell.run("ls", "db").output == "kept\n")
        #expect(try shell.run("ls", "db", "--desc", "--where", "n > 0").output == "kept\n")
        let missing = try shell.divan("get", "db", "over")
        #expect(missing.status == 3 && !missing.errors.contains("zoo.cats"), "\(missing)")
        try expectStillThere()
    }

    @Test func `an expired document counts until it is purged, and explain reports it`() throws {
        #expect(try shell.run("lscoll", "db").lines.allSatisfy { $0.contains("2 documents") })
        #expect(try shell.run("explain", "db", "over").output.contains("expired on 1970-01-01"))
        try expectStillThere()
    }

    @Test func `an expiration beyond the calendar is shown as the latest date`() throws {
        try shell.run("put", "db", "late", "{}")
        let store = try Store.open(directory: shell.path("db.cblite2"))
        try store.write { writer in
            try writer.setExpiration(.max, of: DocumentID(unchecked: "late"), in: .default)
        }
        try store.close()
        #expect(try shell.run("expire", "db", "late").output == "9999-12-31T23:59:59.999Z\n")
    }

    @Test func `info shows the number of expired documents`() throws {
        #expect(try shell.run("info", "db", "--json").json()["expired"] as? Int == 2)
        #expect(try shell.run("info", "db").output.contains("Expired      2 documents"))
        try shell.run("purge", "db", "--expired")
        #expect(try shell.run("info", "db", "--json").json()["expired"] as? Int == 0)
        #expect(try !shell.run("info", "db").output.contains("Expired"))
    }

    @Test(arguments: [
        ("SELECT count(*) AS c FROM _", #"{"c":1}"#),
        ("SELECT META().id FROM zoo.cats WHERE n = 1 OR n = 2", #"{"id":"kept"}"#),
        ("SELECT a.n FROM _ AS a JOIN zoo.cats AS b ON a.n = b.n", #"{"n":1}"#),
        ("SELECT cats.n FROM zoo.cats JOIN _ AS d ON d.n > cats.n - 2", #"{"n":1}"#),
        ("SELECT a.n FROM _ AS a LEFT JOIN zoo.cats AS b ON b.n = a.n", #"{"n":1}"#),
    ])
    func `queries omit an expired document`(_ question: String, _ row: String) throws {
        #expect(try query(question) == row + "\n")
        try expectStillThere()
    }

    @Test func `a query error does not mention the internal expiration filter`() throws {
        let wrong = try shell.divan("query", "db", "SELECT nothing( FROM _")
        #expect(wrong.status == 4 && !wrong.errors.contains("expiration"), "\(wrong)")
    }

    @Test func `exports and JSON lines omit an expired document`() throws {
        #expect(try shell.run("export", "db").output == #"{"_id":"kept","n":1}"# + "\n")
        #expect(try shell.run("export", "db", "--since", "0").lines.count == 1)
        try shell.run("cp", "db", "db.jsonl")
        #expect(try !shell.text("db.jsonl").contains("over"))
        try shell.run("export", "db", "db.csv")
        #expect(try !shell.text("db.csv").contains("over"))
        let tables = try shell.run("export", "db", "db.sqlite", "--json").json()
        #expect(tables["documents"] as? Int == 2)
        try expectStillThere()
    }
}
