import CDivanSQL
import DivanJSON
import DivanQuery
import DivanSQL
import Testing

/// The README's example, word for word.
@Suite struct ReadmeTests {
    private struct Catalogue: QueryCatalogue {
        var databaseName: ExactText { "shop" }
        func hasCollection(_ collection: QueryCollection) -> Bool { collection.name == "chairs" }
        func hasFullTextIndex(_ name: ExactText, in collection: QueryCollection) -> Bool { false }
    }

    private struct Schema: SQLSchema {
        let documentColumns = SQLDocumentColumns.sample
        func table(of collection: QueryCollection) -> String { "docs_1" }
        func fullTextTable(
            _ index: ExactText,
            in collection: QueryCollection
        ) throws -> SQLFullTextTable {
            throw QueryError("no such index", code: .missingIndex)
        }
    }

    private let catalogue = Catalogue()
    private let schema = Schema()

    @Test func `the README example works`() throws {
        var isAdded = false
        defer { #expect(isAdded) }
        var handle: OpaquePointer?
        defer { sqlite3_close(handle) }
        sqlite3_open(":memory:", &handle)
        let connection = try #require(handle)

        let statement = try QueryStatement(sql: "SELECT name FROM chairs WHERE price < $most")
        let query = try statement.checked(against: catalogue)
        let translation = try SQLTranslation(query, schema: schema)
        // SELECT divan_result1(s0.json, '.name') FROM docs_1 AS s0
        //     WHERE s0.flags & 1 = 0 AND (divan_value1(s0.json, '.price') < ?1)

        guard SQLFunctions.add(to: connection) == SQLITE_OK else { return }
        isAdded = true

        let rows = "docs_1 AS s0 WHERE s0.flags & 1 = 0"
        #expect(
            translation.sql
                == "SELECT divan_result1(s0.json, '.name') FROM \(rows)"
                + " AND (divan_value1(s0.json, '.price') < ?1)"
        )
        #expect(translation.bindings == [.parameter("most", isExact: false)])
        let scratch = try Scratch()
        #expect(try scratch.value(#"divan_value1('{"name":"Oslo"}', '.name')"#) == "'Oslo'")
        let items = try scratch.rows("SELECT value FROM divan_items1(x'5b312c325d')")
        #expect(items == [["1"], ["2"]])
        #expect(SQLFunctions.unicodeVersion.contains("."))
    }

    @Test func `a translated query returns the expected documents`() throws {
        let scratch = try Scratch()
        try scratch.execute(
            """
            CREATE TABLE docs_1 (number INTEGER PRIMARY KEY, flags INTEGER, json TEXT);
            INSERT INTO docs_1 (flags, json) VALUES
                (0, '{"name":"stool","price":9}'), (0, '{"name":"throne","price":900}'),
                (1, '{"name":"gone","price":1}'), (0, '{"name":"gift"}');
            """
        )
        let statement = try QueryStatement(sql: "SELECT name FROM chairs WHERE price < 10")
        let query = try statement.checked(against: catalogue)
        let translation = try SQLTranslation(query, schema: schema)
        #expect(try scratch.rows(translation.sql) == [["'stool'"]])
    }
}
