import DivanJSON
import DivanQuery
import Testing

/// The meaning of names.
@Suite struct CheckTests {
    @Test func `a property is resolved to its source`() throws {
        let statement = try QueryStatement.checked(
            "SELECT c.name, m.town FROM shop.chairs c JOIN shop.makers m ON c.maker = META(m).id"
        )
        #expect(
            statement.columns.map(\.expression) == [
                .property(source: 0, "name"), .property(source: 1, "town"),
            ]
        )
        #expect(
            statement.sources[1].condition
                == .comparison(
                    .equal,
                    .property(source: 0, "maker"),
                    .metadata(source: 1, .id),
                    .binary
                )
        )
    }

    /// Sixty levels, each examined twice, would never finish.
    @Test(.timeLimit(.minutes(5)), arguments: ["IS", "IS NOT", "=", "IS VALUED OR a ="])
    func `chained comparisons are examined once each`(comparison: String) throws {
        let chain = Array(repeating: "a", count: 60).joined(separator: " \(comparison) ")
        let statement = try? QueryStatement.checked("SELECT a FROM _ WHERE \(chain)")
        // Too deep or not, the answer must come at once.
        #expect(statement == nil || statement?.filter != nil)
    }

    @Test func `an alias refers to its column`() throws {
        let statement = try QueryStatement.checked(
            "SELECT dims AS d FROM shop.chairs WHERE d.w = 45 ORDER BY D.h"
        )
        #expect(
            statement.filter
                == .comparison(.equal, .column(0, "w"), .literal(.integer(45)), .binary)
        )
        #expect(statement.orderings[0].key.expression == .column(0, "h"))
    }

    @Test(arguments: [
        ("SELECT a AS b, b FROM _", ["b", "b #2"]),
        ("SELECT b, a AS b FROM _", ["b #2", "b"]),
        ("SELECT a AS b, b + 1 AS c FROM _", ["b", "c"]),
    ])
    func `an alias does not hide a property from other columns`(
        sql: String,
        titles: [String]
    ) throws {
        let statement = try QueryStatement.checked(sql)
        #expect(statement.columns.map(\.title.text) == titles)
        // Whatever is done with it, `b` is the property.
        var found: [CheckedExpression] = []
        for column in statement.columns {
            found += [column.expression] + column.expression.children
        }
        #expect(
            found.contains(.property(source: 0, "b")) && found.contains(.property(source: 0, "a"))
        )
        let behind = try QueryStatement.checked(sql + " WHERE b = 1 ORDER BY b")
        let column = titles.firstIndex(of: "b") ?? 0
        #expect(behind.orderings[0].key.expression == .column(column, QueryPath()))
    }

    @Test(arguments: [
        ("SELECT META() FROM _", ["_"]),
        ("SELECT META(), *, META() FROM _", ["_", "_ #2", "_ #3"]),
        ("SELECT META(c), META(c).id, 1 FROM shop.chairs AS c", ["c", "id", "$1"]),
        ("SELECT META() AS m FROM shop.chairs", ["m"]),
        ("SELECT META() FROM shop.chairs", ["chairs"]),
    ])
    func `the column of META() has the name of its source`(sql: String, titles: [String]) throws {
        #expect(try QueryStatement.checked(sql).columns.map(\.title.text) == titles)
    }

    @Test func `a collation applies to every comparison inside it`() throws {
        let statement = try QueryStatement.checked(
            "SELECT s FROM _ WHERE (s = 'A' AND lang LIKE 'e%') COLLATE NOCASE"
        )
        let noCase = QueryCollation(isCaseSensitive: false)
        #expect(
            statement.filter
                == .and([
                    .comparison(
                        .equal,
                        .property(source: 0, "s"),
                        .literal(.string("A")),
                        noCase
                    ),
                    .like(.property(source: 0, "lang"), .literal(.string("e%")), noCase),
                ])
        )
    }

    @Test func `deleted documents are included if the query uses the deleted flag`() throws {
        let sql = "SELECT 1 FROM _ WHERE _deleted"
        #expect(try QueryStatement.checked(sql).sources[0].includesDeleted)
        #expect(try !QueryStatement.checked("SELECT _id FROM _").sources[0].includesDeleted)
    }

    @Test func `RANK and MATCH share a number in either order`() throws {
        let statement = try QueryStatement.checked(
            "SELECT RANK(storyEn) FROM shop.chairs WHERE seats > 1 AND MATCH(storyEn, 'x')"
        )
        #expect(statement.columns[0].expression == .rank(0))
        #expect(
            statement.matches
                == [CheckedMatch(source: 0, index: "storyEn", text: .literal(.string("x")))]
        )
    }

    @Test func `unnested items are resolved by their alias`() throws {
        let statement = try QueryStatement.checked(
            "SELECT p.n, h FROM shop.chairs c UNNEST c.parts AS p UNNEST p.holes AS h"
        )
        #expect(statement.sources[1].form == .items(source: 0, path: "parts"))
        #expect(statement.sources[2].form == .items(source: 1, path: "holes"))
        #expect(statement.columns[1].expression == .property(source: 2, QueryPath()))
    }

    @Test func `variables are numbered and can shadow each other`() throws {
        let statement = try QueryStatement.checked(
            "SELECT ANY x IN a SATISFIES ANY x IN x.b SATISFIES x = 1 END END FROM _"
        )
        #expect(
            statement.columns[0].expression
                == .quantified(
                    .any,
                    variable: 0,
                    in: .property(source: 0, "a"),
                    satisfies: .quantified(
                        .any,
                        variable: 1,
                        in: .variable(0, "b"),
                        satisfies: .comparison(
                            .equal,
                            .variable(1, QueryPath()),
                            .literal(.integer(1)),
                            .binary
                        )
                    )
                )
        )
    }

    @Test func `parameters are listed once, including those of subqueries`() throws {
        let statement = try QueryStatement.checked(
            "SELECT $a FROM _ WHERE x = $b AND EXISTS (SELECT 1 FROM _ WHERE y = $c) AND z = $a"
        )
        #expect(statement.parameters == ["a", "b", "c"])
    }

    @Test func `the JSON form is equivalent to SQL++`() throws {
        let json = try QueryStatement(
            json: [
                "WHAT": [["AS", [".name"], "n"], ["._id"]],
                "FROM": [["COLLECTION": "shop.chairs"]],
                "WHERE": [">", [".price"], ["$min"]],
                "ORDER_BY": [["DESC", [".name"]]],
            ]
        )
        let sql = "SELECT name AS n, _id FROM shop.chairs WHERE price > $min ORDER BY name DESC"
        #expect(try json.checked(against: VectorCatalogue()) == QueryStatement.checked(sql))
    }

    @Test func `an index consists of expressions over one collection`() throws {
        let written = try QueryStatement.indexedExpressions(sql: "name, LOWER(`es-detail`)")
        let checked = try written.map { try $0.checked(over: .standard) }
        #expect(
            checked == [
                .property(source: 0, "name"),
                .call(.lower, [.property(source: 0, "es-detail")], .binary),
            ]
        )
        #expect(throws: QueryError.self) {
            try QueryExpression(sql: "a = $b").checked(over: .standard)
        }
        let error = #expect(throws: QueryError.self) {
            try QueryExpression(sql: "COUNT(*)").checked(over: .standard)
        }
        #expect(
            error?.problem
                == "COUNT() cannot be indexed; index its argument, and aggregate in the query"
        )
    }
}
