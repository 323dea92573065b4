import DivanJSON
import DivanQuery
import Testing

/// Whole documents are spread over columns, and nothing of them is left out.
@Suite struct SpreadColumnsTests {
    private struct Catalogue: QueryCatalogue {
        var databaseName: ExactText { "shop" }
        func hasCollection(_ collection: QueryCollection) -> Bool { true }
        func hasFullTextIndex(_ name: ExactText, in collection: QueryCollection) -> Bool { false }
    }

    private func columns(_ sql: String, limit: Int = 10) throws -> SpreadColumns? {
        let statement = try QueryStatement(sql: sql).checked(against: Catalogue(), text: sql)
        return SpreadColumns(statement, limit: limit)
    }

    private func document(_ text: String) -> QueryValue { .container(Array(text.utf8)) }

    @Test(arguments: [
        "SELECT name FROM _", "SELECT x.a FROM _ AS x", "SELECT i FROM _ AS x UNNEST x.list AS i",
        "SELECT COUNT(*) FROM _",
    ])
    func `queries without whole documents keep their columns`(_ sql: String) throws {
        #expect(try columns(sql) == nil)
    }

    @Test func `each property has a column, starting with those of the first row`() throws {
        var columns = try #require(try columns("SELECT *, META().id FROM _"))
        let rows = [
            [document(#"{"b":1,"a":"x"}"#), .string("1")],
            [document(#"{"id":true,"n":18446744073709551615}"#), .string("2")],
            [.missing, .string("3")], [.null, .string("4")],
        ]
        for row in rows { columns.count(row) }
        #expect(columns.titles == ["a", "b", "_.id", "n", "id"])
        #expect(
            columns.spread(rows[0]) == [
                .string("x"), .integer(1), .missing, .missing, .string("1"),
            ]
        )
        #expect(
            columns.spread(rows[1]) == [
                .missing, .missing, .boolean(true), document("18446744073709551615"), .string("2"),
            ]
        )
        #expect(columns.spread(rows[2])?.last == .string("3"))
        #expect(columns.spread(rows[3])?.count == 5)
    }

    @Test func `properties without a column are put into an extra column or rejected`() throws {
        var columns = try #require(try columns("SELECT * FROM _", limit: 2))
        columns.count([document(#"{"a":1,"b":2}"#)])
        #expect(columns.titles == ["a", "b"])
        #expect(columns.spread([document(#"{"a":1,"c":3}"#)]) == nil)
        columns.count([document(#"{"c":3}"#)])
        #expect(columns.titles == ["a", "b", "_.*"])
        #expect(
            columns.spread([document(#"{"a":1,"c":3,"d":4}"#)]) == [
                .integer(1), .missing, document(#"{"c":3,"d":4}"#),
            ]
        )
    }

    @Test func `documents of several sources get separate columns`() throws {
        let sql = "SELECT a, b FROM shop.x AS a JOIN shop.y AS b ON a.k = b.k"
        var columns = try #require(try columns(sql))
        let row = [document(#"{"k":1,"v":2}"#), document(#"{"k":1,"w":3}"#)]
        columns.count(row)
        #expect(columns.titles == ["a.k", "v", "b.k", "w"])
    }

    @Test func `without any property the original column is kept`() throws {
        var columns = try #require(try columns("SELECT * FROM _"))
        columns.count([document("{}")])
        #expect(columns.titles == ["_"] && columns.spread([document("{}")]) == [document("{}")])
    }
}
