import DivanJSON
import DivanREST
import DivanRevisions
import DivanStore
import DivanTestKit
import Testing

/// One damaged document hides no other, and is in no list as something else.
@Suite(.timeLimit(.minutes(2))) struct DamageTests {
    @Test(arguments: [false, true])
    func `a list passes over a document whose head is damaged`(hasCondition: Bool) throws {
        let folder = try TemporaryDirectory()
        let store = try damaged(
            "SET revisionID = x'00' WHERE documentID IN ('d3', 'd9')",
            in: folder
        )
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

    @Test func `a document that damage marks as deleted is told as deleted by no feed`() throws {
        let folder = try TemporaryDirectory()
        let store = try damaged("SET flags = flags | 1 WHERE documentID = 'd3'", in: folder)
        defer { try? store.close() }
        let deletion = LocalRevision(deleting: "d5")
        _ = try store.save(deletion, in: .default)
        let served = try Served { $0.databases = ["notes": store] }
        let visitor = try served.visitor()
        for target in ["_changes", "_changes?include_docs=true"] {
            let rows = try visitor.ask("GET", "/notes/_default/\(target)").json()["results"]?.array
            #expect(rows?.count == 9, "\(target)")
            let deleted = rows?.filter { $0["deleted"]?.bool == true }
            #expect(deleted?.compactMap { $0["id"]?.string } == ["d5"], "\(target)")
        }
        // The list is told to be short by the log alone, as where one of its documents is damaged.
        let rows = try visitor.ask("GET", "/notes/_default/_all_docs").json()["rows"]?.array
        #expect(rows?.count == 8)
    }

    /// A database of ten documents, with an edit of their table that no checksum knows.
    private func damaged(_ edit: String, in folder: TemporaryDirectory) throws -> Store {
        let path = folder.file("a.cblite2")
        let written = try Store.open(directory: path, options: StoreOptions(create: true))
        for number in 0..<10 {
            let id = DocumentID(unchecked: "d\(number)")
            _ = try written.save(id, in: .default, body: Array(#"{"n":1}"#.utf8))
        }
        try written.close()
        try RowDamage.edit("\(path)/db.sqlite3", "UPDATE docs_1 \(edit)")
        return try Store.open(directory: path)
    }
}
