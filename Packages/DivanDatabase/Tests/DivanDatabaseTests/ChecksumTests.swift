import DivanRevisions
import DivanSQLite
import DivanTestKit
import Testing

@testable import DivanDatabase
// Rows are damaged with the engine's own connection.
@testable import DivanSQLiteEngine
@testable import DivanStorage
@_spi(Database) @testable import DivanStore

/// The checksum of rows, and every statement that must keep it correct.
@Suite struct ChecksumTests {
    private let home: TemporaryDirectory
    private let path: String
    private let remote = RemoteID(rawValue: 1)
    private var database: String { path + "/db.sqlite3" }

    init() throws {
        home = try TemporaryDirectory()
        path = home.file("a.cblite2")
    }

    @Test func `every operation that changes a row updates its checksum`() throws {
        let store = try Store.open(directory: path)
        let people = try #require(CollectionPath("people"))
        let body = Array(#"{"n":1}"#.utf8)
        try store.write { writer in
            try writer.createCollection(people)
            for id in ["doc-0", "doc-1", "doc-2", "doc-3"] as [DocumentID] {
                _ = try writer.save(id, in: .default, body: body)
            }
            try writer.setMetadata("key", [1, 2, 3])
        }
        try store.checkIntegrity()
        let first = try #require(
            try store.read { try $0.document("doc-0", in: .default) }?.revisionID
        )
        try store.write { try $0.markKnown("doc-0", first, at: remote, in: .default) }
        try store.checkIntegrity()
        for time: Int64? in [5_000_000_000_000, 6_000_000_000_000, nil, 0] {
            try store.write { try $0.setExpiration(time, of: "doc-1", in: .default) }
            try store.checkIntegrity()
        }
        for _ in 0..<3 {
            let saved = try store.save("doc-2", in: .default, body: body)
            guard case .saved(let document) = saved else { throw Unexpected(outcome: "conflict") }
            try store.write {
                try $0.markKnown("doc-2", document.revisionID, at: remote, in: .default)
            }
            try store.checkIntegrity()
        }
        try store.write { _ = try $0.purge("doc-3", in: .default) }
        try store.write { try $0.deleteCollection(people) }
        try store.compact()
        try store.checkIntegrity()
        try store.close()
    }

    @Test(arguments: [
        "UPDATE docs_1 SET flags = flags | 2", "UPDATE docs_1 SET expiration = 7",
        "UPDATE docs_1 SET revisionID = x'0102'", "UPDATE docs_1 SET tree = 1",
        "UPDATE docs_1 SET body = '{\"n\":2}'", "UPDATE docs_1 SET checksum = NULL",
        "UPDATE docs_1 SET sequence = 9", "UPDATE docs_1 SET documentID = 'eve'",
        "UPDATE docs_1 SET body = CAST(body AS BLOB)", "UPDATE docs_1 SET flags = flags + 256",
        "UPDATE collections SET lastSequence = 7", "UPDATE collections SET name = 'other'",
        "UPDATE collections SET liveCount = 7", "UPDATE collections SET uncheckedThrough = 7",
        #"UPDATE "values" SET value = x'00'"#, #"UPDATE "values" SET key = key || 'x'"#,
        #"UPDATE "values" SET checksum = NULL"#,
    ])
    func `a change to any column of any table is detected`(_ change: String) throws {
        let store = try Store.open(directory: path)
        _ = try store.save("doc", in: .default, body: Array(#"{"n":1}"#.utf8))
        try store.close()
        try StoreConnection(path: database, mode: .readWrite).execute(change)
        #expect(throws: StoreError.self, "\(change)") {
            let damaged = try Store.open(directory: path)
            defer { try? damaged.close() }
            try damaged.checkIntegrity()
        }
    }
}
