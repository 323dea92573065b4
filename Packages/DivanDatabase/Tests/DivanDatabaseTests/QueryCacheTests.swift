import DivanJSON
import DivanQuery
import DivanRevisions
import DivanSQL
import DivanSQLite
import DivanTestKit
import Testing

@testable import DivanDatabase
// What is kept is visible only from inside.
@testable import DivanSQLiteEngine
@testable import DivanStorage
@_spi(Database) @testable import DivanStore

/// A query that runs again is not retranslated, but notices when what its translation relied on has changed.
@Suite struct QueryCacheTests {
    private static func query(_ sql: String, in store: Store) throws -> StorageQuery {
        let catalogue = StoreCatalogue(store, named: "kept")
        return StorageQuery(try QueryStatement(sql: sql).checked(against: catalogue, text: sql))
    }

    private static func rows(_ query: StorageQuery, in store: Store) throws -> [[QueryValue]] {
        let rows = try store.rows(of: StorageQuery(query.statement))
        var found: [[QueryValue]] = []
        while let row = try rows.next() { found.append(row) }
        return found
    }

    private static func words(_ property: ExactText) -> QueryIndexDefinition {
        let text = CheckedExpression.property(source: 0, QueryPath([.key(property)]))
        let column = QueryIndexDefinition.FullTextColumn(name: property, text)
        return .fullText([column], tokenizer: "unicode61", filter: nil)
    }

    private func room(_ kind: EngineKind = .file) throws -> StoreFixture {
        let room = try StoreFixture(kind)
        try room.save("a", #"{"name":"Ash","story":"oak","tags":["x","y"]}"#)
        try room.save("b", #"{"name":"ash","story":"elm","tags":["y"]}"#)
        return room
    }

    @Test func `a cached query notices that an array index was created or dropped`() throws {
        let room = try room()
        let query = try Self.query("SELECT META(d).id, t FROM _ d UNNEST d.tags t", in: room.store)
        let expected = try Self.rows(query, in: room.store)
        #expect(expected.count == 3)
        for name in ["t", "u", "t"] as [ExactText] {
            try room.store.write { try $0.createIndex(name, .array(["tags"], []), in: .default) }
            let plan = try room.store.plan(of: query).steps.map(\.text)
            #expect(plan.allSatisfy { !$0.contains("VIRTUAL TABLE") }, "\(plan)")
            #expect(try Self.rows(query, in: room.store) == expected)
            try room.save("c", #"{"tags":["z"]}"#)
            #expect(try Self.rows(query, in: room.store).count == 4)
            try room.save("c", "{}", isTombstone: true)
            try room.store.write { try $0.deleteIndex(name, in: .default) }
            #expect(try Self.rows(query, in: room.store) == expected)
        }
    }

    @Test func `a cached query notices that a full-text index was replaced or dropped`() throws {
        let room = try room()
        try room.store.write { try $0.createIndex("w", Self.words("story"), in: .default) }
        let query = try Self.query("SELECT META().id FROM _ WHERE MATCH(w, 'oak')", in: room.store)
        for _ in 0..<2 { #expect(try Self.rows(query, in: room.store) == [[.string("a")]]) }
        try room.store.write { try $0.createIndex("w", Self.words("name"), in: .default) }
        #expect(try Self.rows(query, in: room.store) == [])
        try room.store.write { try $0.deleteIndex("w", in: .default) }
        #expect(throws: QueryError.self) { try Self.rows(query, in: room.store) }
    }

    @Test func `a cached query notices that its collection was recreated`() throws {
        let room = try room()
        let path = try #require(CollectionPath("trees"))
        try room.store.createCollection(path)
        _ = try room.store.save("old", in: path, body: Array("{}".utf8))
        let query = try Self.query("SELECT META().id FROM trees", in: room.store)
        for _ in 0..<2 { #expect(try Self.rows(query, in: room.store) == [[.string("old")]]) }
        try room.store.deleteCollection(path)
        #expect(throws: QueryError.self) { try Self.rows(query, in: room.store) }
        try room.store.createCollection(try #require(CollectionPath("between")))
        try room.store.createCollection(path)
        _ = try room.store.save("new", in: path, body: Array("{}".utf8))
        #expect(try Self.rows(query, in: room.store) == [[.string("new")]])
    }

    @Test func `a rolled-back schema change leaves nothing in the cache`() throws {
        struct Undo: Error {}
        let room = try room()
        let query = try Self.query("SELECT META(d).id, t FROM _ d UNNEST d.tags t", in: room.store)
        #expect(throws: Undo.self) {
            try room.store.write {
                try $0.createIndex("tags", .array(["tags"], []), in: .default)
                #expect(try Self.rows(query, in: room.store).count == 3)
                throw Undo()
            }
        }
        // The version is the one that the index had.
        try room.store.write {
            try $0.createIndex("w", Self.words("name"), in: .default)
            #expect(try Self.rows(query, in: room.store).count == 3)
        }
        #expect(try Self.rows(query, in: room.store).count == 3)
    }

    @Test func `queries that differ only in their collation are cached separately`() throws {
        let room = try room()
        let plain = "SELECT META().id FROM _ WHERE name = 'ash'"
        let folded = "SELECT META().id FROM _ WHERE (name = 'ash') COLLATE NOCASE"
        for _ in 0..<2 {
            let store = room.store
            #expect(try Self.rows(Self.query(plain, in: store), in: store) == [[.string("b")]])
            #expect(try Self.rows(Self.query(folded, in: store), in: store).count == 2)
        }
    }

    @Test func `a cached query works after a key change and fails after closing`() throws {
        let home = try TemporaryDirectory()
        let path = home.file("a.cblite2")
        let store = try Store.open(
            directory: path,
            options: StoreOptions(sealing: try TestSealing(1))
        )
        _ = try store.save("a", in: .default, body: Array(#"{"n":1}"#.utf8))
        let query = try Self.query("SELECT n FROM _ WHERE n > 0", in: store)
        for _ in 0..<2 { #expect(try Self.rows(query, in: store) == [[.integer(1)]]) }
        try store.changeSealing(to: TestSealing(2))
        _ = try store.save("b", in: .default, body: Array(#"{"n":1}"#.utf8))
        for _ in 0..<2 { #expect(try Self.rows(query, in: store).count == 2) }
        try store.close()
        #expect(throws: StoreError.self) { try Self.rows(query, in: store) }
    }

    @Test func `statements of the least recently used collection are evicted from the cache`()
        throws
    {
        let room = try room()
        let file = try #require(room.store.directory) + "/db.sqlite3"
        let session = try SQLiteSession(StoreConnection(path: file, mode: .readWrite))
        let asked = session.documents(in: CollectionID(rawValue: 1))
        let forgotten = session.documents(in: CollectionID(rawValue: 2))
        for number in 3...3 * SQLiteEngineLimits.keptCollectionCount {
            _ = session.documents(in: CollectionID(rawValue: Int64(number)))
            #expect(session.documents(in: CollectionID(rawValue: 1)) === asked)
        }
        #expect(session.keptCollectionCount == SQLiteEngineLimits.keptCollectionCount)
        #expect(session.documents(in: CollectionID(rawValue: 2)) !== forgotten)
    }

    @Test func `the least recently used query is evicted from the cache`() throws {
        let room = try room()
        let queries = try (0...SQLiteEngineLimits.keptQueryCount).map {
            try Self.query("SELECT \($0) AS n FROM _", in: room.store).statement
        }
        let kept = SQLiteQueryStatements()
        for query in queries {
            kept[query, 1].isScan = true
            #expect(kept[queries[0], 1].isScan == true)
        }
        #expect(kept[queries[1], 1].isScan == nil)
        #expect(
            queries.filter { kept[$0, 1].isScan == true }.count == SQLiteEngineLimits.keptQueryCount
        )
        #expect(kept[queries[0], 2].isScan == nil)
    }
}
