import DivanJSON
import DivanREST
import DivanRevisions
import DivanStore
import DivanTestKit
import Testing

/// One damaged document hides no other.
@Suite(.timeLimit(.minutes(2))) struct DamageTests {
    @Test(arguments: [false, true])
    func `a list passes over a document whose head is damaged`(hasCondition: Bool) throws {
        let python = try #require(Program.installed("python3"))
        let folder = try TemporaryDirectory()
        let path = folder.file("a.cblite2")
        let written = try Store.open(directory: path, options: StoreOptions(create: true))
        for number in 0..<10 {
            let id = DocumentID(unchecked: "d\(number)")
            _ = try written.save(id, in: .default, body: Array(#"{"n":1}"#.utf8))
        }
        try written.close()
        let script =
            "import sqlite3; c = sqlite3.connect('\(path)/db.sqlite3'); "
            + "c.execute(\"UPDATE docs_1 SET revisionID = x'00' WHERE documentID IN ('d3', 'd9')\"); "
            + "c.commit()"
        let outcome = try python.run(["-c", script])
        try #require(outcome.status == 0, "\(outcome.errors)")
        let store = try Store.open(directory: path)
        defer { try? store.close() }
        let condition = try RESTCondition("n = 1")
        let served = try Served { configuration in
            configuration.databases = ["notes": store]
            configuration.limits.pageCount = 2
            configuration.limits.scanCount = 3
            if hasCondition {
                configuration.rights = { _, _ in RESTRights(condition: condition) }
            }
        }
        let visitor = try served.visitor()
        let whole = ["d0", "d1", "d2", "d4", "d5", "d6", "d7", "d8"]
        for target in ["_all_docs", "_all_docs?include_docs=true", "_changes?include_docs=true"] {
            let answer = try visitor.ask("GET", "/notes/_default/\(target)").json()
            let rows = answer["rows"]?.array ?? answer["results"]?.array
            #expect(rows?.compactMap { $0["id"]?.string } == whole, "\(target)")
        }
        let some = try visitor.ask("GET", "/notes/_default/_all_docs?limit=4").json()
        #expect(some["next"]?.string == "d4")
    }
}
