import CouchbaseLiteSwift
import DivanTestKit
import Foundation
import Testing

/// Lists of documents.
@Suite struct ListingTests {
    @Test func `documents with a prefix are listed page by page`() async throws {
        let home = try TemporaryDatabase()
        let collection = try home.collection
        try home.database.inBatch {
            for number in 0..<2_500 {
                try collection.save(document: MutableDocument(id: "a:\(number)"))
            }
            for id in ["a", "a:", "b", "Z"] {
                try collection.save(document: MutableDocument(id: id))
            }
        }
        #expect(try collection.documentIDs(prefix: "a:").count == 2_501)
        #expect(try collection.documentIDs(prefix: "a:24").count == 111)
        #expect(try collection.documentIDs().first == "Z")
        #expect(try collection.documentIDs(prefix: "x").isEmpty)
        var ids: [String] = []
        for try await document in collection.documents(prefix: "a:") { ids.append(document.id) }
        #expect(try ids == collection.documentIDs(prefix: "a:"))
    }

    @Test func `listing all documents reports a hidden damaged document after the others`()
        async throws
    {
        let home = try TemporaryDatabase()
        let collection = try home.collection
        try home.database.inBatch {
            for number in 1_000..<2_500 {
                let id = "a:\(number)"
                try collection.save(document: MutableDocument(id: id, data: ["n": number]))
            }
        }
        let hidden = try #require(try collection.document(id: "a:1050")?.revisionID)
        let again = try reopened(home, hiding: hidden)
        defer { try? again.close() }
        let damaged = try again.defaultCollection()
        expect(CBLError.corruptData) { _ = try damaged.documentIDs() }
        expect(CBLError.corruptData) { _ = try damaged.documentIDs(limit: 1_500) }
        #expect(try damaged.documentIDs(limit: 1_400).count == 1_400)
        #expect(try damaged.documentIDs(prefix: "a:").count == 1_499)
        #expect(try damaged.documentIDs(after: "a:1000").count == 1_498)
        var count = 0
        await #expect(throws: NSError.self) {
            for try await _ in damaged.documents() { count += 1 }
        }
        #expect(count == 1_499)
        for try await _ in damaged.documents(prefix: "a:24") { count += 1 }
        #expect(count == 1_599)
    }

    /// Makes a revision's row say that its document is deleted, which contradicts its checksum.
    private func reopened(_ home: TemporaryDatabase, hiding revision: String) throws -> Database {
        let file = URL(filePath: try #require(home.database.path) + "db.sqlite3")
        try home.database.performMaintenance(type: .compact)
        try home.database.close()
        try RowDamage.hide(revision: revision, in: file)
        return try home.reopened()
    }

    @Test func `document IDs in a range are listed page by page`() async throws {
        let home = try TemporaryDatabase()
        let collection = try home.collection
        let names = ["a", "a:", "a:1", "a:10", "a:2", "b", "ä", "\u{65}\u{301}", "\u{e9}", "e"]
        for id in names { try collection.save(document: MutableDocument(id: id)) }
        let sorted = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        #expect(try collection.documentIDs(range: "a:"..<"b") == ["a:", "a:1", "a:10", "a:2"])
        #expect(try collection.documentIDs(prefix: "a:", range: "a"..<"a:10") == ["a:", "a:1"])
        #expect(try collection.documentIDs(prefix: "a:1", range: "a:2"..<"c").isEmpty)
        #expect(try collection.documentIDs(range: "a:3"..<"a:9").isEmpty)
        var found: [String] = []
        while true {
            let page = try collection.documentIDs(after: found.last, limit: 3)
            found += page
            if page.count < 3 { break }
        }
        // By bytes: IDs that are equal in Unicode are two documents.
        #expect(found.map { Array($0.utf8) } == sorted.map { Array($0.utf8) })
        var listed: [String] = []
        for try await document in collection.documents(range: "a:1"..<"b") {
            listed.append(document.id)
        }
        #expect(listed == ["a:1", "a:10", "a:2"])
    }

    @Test func `each change since a sequence is listed once, including deletions`() async throws {
        let home = try TemporaryDatabase()
        let collection = try home.collection
        for number in 0..<600 {
            try collection.save(document: MutableDocument(id: "d\(number)", data: ["n": number]))
        }
        var last: UInt64 = 0
        var count = 0
        for try await change in collection.changes(since: 0) {
            #expect(change.sequence > last)
            #expect(change.document?.int(forKey: "n") == count)
            (last, count) = (change.sequence, count + 1)
        }
        #expect(count == 600)
        try collection.delete(document: #require(try collection.document(id: "d7")))
        try collection.save(document: MutableDocument(id: "d9"))
        var later: [String] = []
        for try await change in collection.changes(since: last) {
            later.append(change.isDeleted ? "-\(change.id)" : change.id)
        }
        #expect(later == ["-d7", "d9"])
    }
}
