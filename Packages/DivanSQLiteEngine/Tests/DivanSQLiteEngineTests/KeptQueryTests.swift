import CDivanSQLiteEngine
import DivanJSON
import DivanQuery
import DivanSQL
import DivanSQLite
import DivanStorage
import DivanTestKit
import Testing

@testable import DivanSQLiteEngine

/// What compiled queries keep in memory.
@Suite struct KeptQueryTests {
    private struct DefaultCollection: QueryCatalogue {
        var databaseName: ExactText { "kept" }

        func hasCollection(_ collection: QueryCollection) -> Bool { collection == .standard }

        func hasFullTextIndex(_ name: ExactText, in collection: QueryCollection) -> Bool { false }
    }

    private static func statement(_ sql: String) throws -> CheckedStatement {
        try QueryStatement(sql: sql).checked(against: DefaultCollection(), text: sql)
    }

    @Test func `parameter values and long queries are not cached`() throws {
        let home = try TemporaryDirectory()
        let file = home.file("kept.sqlite3")
        try SQLiteEngine.create(path: file)
        let session = try SQLiteSession(StoreConnection(path: file, mode: .readWrite))
        _ = try session.createCollection(.default)
        func kept(_ query: StorageQuery) throws -> StoreStatement? {
            try session.run(query) { _ in }
            let schema = SQLiteQuerySchema(session)
            return session.queries.take(try SQLTranslation(query.statement, schema: schema).sql)
        }
        let short = try Self.statement("SELECT name FROM _ WHERE name = $p")
        let value = String(repeating: "x", count: 1 << 20)
        let statement = try #require(
            try kept(StorageQuery(short, parameters: ["p": .string(value)]))
        )
        let spelled = try #require(sqlite3_expanded_sql(statement.handle))
        defer { sqlite3_free(spelled) }
        #expect(String(cString: spelled).utf8.count < 1_000)
        let list = (0..<40_000).map(String.init).joined(separator: ",")
        let long = StorageQuery(try Self.statement("SELECT name FROM _ WHERE name IN (\(list))"))
        let longStatement = try kept(long)
        #expect(longStatement == nil)
    }
}
