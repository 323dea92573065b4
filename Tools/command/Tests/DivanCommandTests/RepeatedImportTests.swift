import DivanTestKit
import Foundation
import Testing

/// An import that is repeated writes what it did not write before, and nothing twice.
@Suite struct RepeatedImportTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "db")
    }

    private func revisions() throws -> [String] { try shell.run("ls", "db", "--json").lines }

    /// Imports a file twice; the second time nothing may change.
    private func importTwice(_ file: String, _ options: String..., count: Int) throws {
        try shell.divan(["import", "db", file] + options).expectSuccess()
        let before = try revisions()
        #expect(before.count == count)
        #expect(before.allSatisfy { $0.contains("\"revision\":\"1-") }, "\(before)")
        let again = try shell.divan(["import", "db", file] + options)
        again.expectSuccess()
        #expect(again.errors.hasPrefix("Imported 0 documents in "), "\(again.errors)")
        let told = "; \(count) document\(count == 1 ? " is" : "s are") unchanged\n"
        #expect(again.errors.hasSuffix(told), "\(again.errors)")
        let machine = try shell.divan(["import", "db", file, "--json"] + options).json()
        #expect(machine["documents"] as? Int == 0)
        #expect(machine["blobs"] as? Int == 0)
        #expect(machine["unchanged"] as? Int == count)
        #expect(try revisions() == before)
    }

    @Test func `a repeated import of JSON lines with blobs changes nothing`() throws {
        try shell.write(
            "a.jsonl",
            """
            {"_id":"soup","n":1,"é":[1.5,{"z":null,"a":true}]}
            {"_id":"photo","crust":{"@type":"blob","content_type":"text/plain","data":"aGVsbG8="}}

            """
        )
        try importTwice("a.jsonl", count: 2)
        let before = try revisions()
        try shell.write(
            "b.jsonl",
            """
            { "é" : [ 1.5, {"a":true, "z":null} ], "n" : 1, "_id" : "soup" }
            {"crust":{"data":"aGVsbG8=","@type":"blob","content_type":"text\\/plain"},"_id":"photo"}

            """
        )
        try shell.run("import", "db", "b.jsonl")
        #expect(try revisions() == before)
    }

    @Test func `a repeated import of CSV, an array or CouchDB data changes nothing`() throws {
        try shell.write("t.csv", "_id,n,name\na,1,soup\nb,2,\"te,a\"\n")
        try importTwice("t.csv", "--from", "csv", count: 2)
        try shell.write("c.json", "{\"docs\":[{\"_id\":\"c\",\"_rev\":\"4-a\",\"n\":1}]}")
        try shell.run("purge", "db", "a", "b")
        try importTwice("c.json", "--from", "couchdb", count: 1)
        try shell.write("d.json", "[{\"_id\":\"c\",\"n\":1}]")
        try importTwice("d.json", count: 1)
    }

    @Test func `a repeated import of an export changes nothing`() throws {
        try shell.write("photo", "bytes")
        try shell.run("put", "db", "soup", #"{"n":[1,2]}"#, "--blob", "photo=photo")
        try shell.run("export", "db", "all.jsonl")
        try importTwice("all.jsonl", count: 1)
    }

    @Test func `a repeated import saves changed documents and deletes only once`() throws {
        try shell.write("a.jsonl", "{\"_id\":\"a\",\"n\":1}\n{\"_id\":\"b\"}\n{\"_id\":\"c\"}\n")
        try shell.run("import", "db", "a.jsonl")
        try shell.run("rm", "db", "c")
        try shell.write(
            "b.jsonl",
            "{\"_id\":\"a\",\"n\":2}\n{\"_id\":\"b\",\"_deleted\":true}\n{\"_id\":\"c\"}\n"
        )
        let first = try shell.run("import", "db", "b.jsonl", "--json").json()
        #expect(first["documents"] as? Int == 3)
        #expect(first["unchanged"] as? Int == 0)
        let again = try shell.run("import", "db", "b.jsonl", "--json").json()
        #expect(again["documents"] as? Int == 0)
        #expect(again["unchanged"] as? Int == 3)
        #expect(try shell.run("ls", "db").output == "a\nc\n")
        let rehearsed = try shell.run("import", "db", "b.jsonl", "--dry-run", "--json").json()
        #expect(rehearsed["documents"] as? Int == 0)
        #expect(rehearsed["unchanged"] as? Int == 3)
    }

    @Test func `an import that stopped at an invalid line continues after the fix`() throws {
        try shell.write("a.jsonl", "{\"_id\":\"a\"}\n{\"_id\":\n")
        try shell.divan("import", "db", "a.jsonl")
            .expectFailure(4, "a.jsonl:2, column 8: ", "1 document was saved")
        try shell.divan("import", "db", "a.jsonl")
            .expectFailure(4, "no documents were saved, 1 unchanged")
        try shell.write("a.jsonl", "{\"_id\":\"a\"}\n{\"_id\":\"b\"}\n")
        let whole = try shell.run("import", "db", "a.jsonl")
        #expect(whole.errors.hasPrefix("Imported 1 document in "))
        #expect(whole.errors.hasSuffix("; 1 document is unchanged\n"))
        #expect(try revisions().allSatisfy { $0.contains("\"revision\":\"1-") })
    }
}
