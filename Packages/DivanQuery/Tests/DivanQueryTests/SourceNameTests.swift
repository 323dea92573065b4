import DivanJSON
import DivanQuery
import DivanTestKit
import Testing

/// The names that sources may have, and their columns.
@Suite struct SourceNameTests {
    /// A database that has every collection except one with its own name.
    private struct FullCatalogue: QueryCatalogue {
        let databaseName: ExactText = "db"

        func hasCollection(_ collection: QueryCollection) -> Bool {
            collection.name != databaseName
        }

        func hasFullTextIndex(_ name: ExactText, in collection: QueryCollection) -> Bool { true }
    }

    private func checked(_ sql: String) throws -> CheckedStatement {
        try QueryStatement(sql: sql).checked(against: FullCatalogue(), text: sql)
    }

    @Test(arguments: [
        "SELECT _default.people.name FROM people", "SELECT _.people.name FROM people",
        "SELECT people.name FROM people", "SELECT people.name FROM _default.people",
        "SELECT _default.name FROM _", "SELECT _default._default.name FROM _",
        "SELECT _.name FROM _default", "SELECT _.name FROM db", "SELECT _default.name FROM db",
        "SELECT `a.b`.name FROM people AS `a.b`", "SELECT a.b.name FROM people AS `a.b`",
        "SELECT name FROM people",
    ])
    func `a source can be referenced as written or by its full name`(_ sql: String) throws {
        #expect(try checked(sql).columns[0].expression == .property(source: 0, "name"))
    }

    @Test func `the maximum number of columns with the same name is numbered quickly`() throws {
        let columns = Array(repeating: "a", count: 2_000).joined(separator: ",")
        let sql = "SELECT \(columns), a2 AS `a #7` FROM _"
        let statement = try QueryStatement(sql: sql)
        var limits = QueryLimits.standard
        limits.columnCount = 2_001
        var titles: [String] = []
        let time = try processorTime {
            titles = try statement.checked(against: FullCatalogue(), limits: limits).columns
                .map(\.title.text)
        }
        #expect(titles.prefix(7) == ["a", "a #2", "a #3", "a #4", "a #5", "a #6", "a #8"])
        #expect(Set(titles).count == 2_001)
        #expect(time < .seconds(1), "some ten milliseconds on a quiet machine")
    }

    @Test(arguments: [
        "SELECT META(_default).id FROM _", "SELECT META(_default._default).id FROM _default",
        "SELECT META(_default.people).id FROM people", "SELECT _default._id FROM _",
    ])
    func `META() accepts the full name of a source`(_ sql: String) throws {
        #expect(try checked(sql).columns[0].expression == .metadata(source: 0, .id))
    }

    /// Names as they are written take precedence over all others.
    @Test func `a full name never refers to another source`() throws {
        let joined = try checked(
            "SELECT _default.x, _.y, a.b.z FROM _ JOIN _default._default ON _.x = _default.x"
                + " JOIN c AS a ON a.x = 1 JOIN d AS `a.b` ON TRUE"
        )
        #expect(
            joined.columns.map(\.expression) == [
                .property(source: 1, "x"), .property(source: 0, "y"),
                .property(source: 2, QueryPath(keys: "b", "z")),
            ]
        )
    }

    @Test(arguments: [
        ("SELECT a.c.*, b.c.* FROM a.c JOIN b.c ON TRUE", ["a.c", "b.c"]),
        ("SELECT _default.c.*, s.c.* FROM c JOIN s.c ON TRUE", ["_default.c", "s.c"]),
        ("SELECT a.c.*, b.c.* FROM a.c CROSS JOIN b.c", ["a.c", "b.c"]),
        ("SELECT a.c.*, x.* FROM a.c JOIN b.c AS x ON TRUE", ["c", "x"]),
        ("SELECT a.c.*, x.* FROM a.c JOIN a.d AS x ON TRUE", ["c", "x"]),
    ])
    func `collections with the same name are titled with their scopes`(
        sql: String,
        titles: [String]
    ) throws {
        #expect(try checked(sql).columns.map(\.title.text) == titles)
    }

    @Test func `COUNT(source.*) counts the rows of the source, not of the join`() throws {
        let sql = "SELECT COUNT(*), COUNT(a.*), COUNT(b.*) FROM a LEFT JOIN b ON TRUE"
        let counts: [CheckedExpression] = [
            .aggregate(.count, nil, .binary), .aggregate(.count, nil, .binary),
            .aggregate(.count, .metadata(source: 1, .sequence), .binary),
        ]
        #expect(try checked(sql).columns.map(\.expression) == counts)
        let statement = try QueryStatement(sql: sql)
        #expect(try QueryStatement(sql: statement.sql) == statement)
        #expect(try QueryStatement(json: statement.json) == statement)
    }

    @Test(arguments: [
        ("SELECT ANY v IN a SATISFIES v > MAX(n) END FROM _", 32),
        ("SELECT EVERY v IN ARRAY_AGG(n) SATISFIES v > 1 END FROM _", 18),
        ("SELECT MAX(n) AS m, a FROM _ GROUP BY a HAVING ANY v IN b SATISFIES v = m END", 72),
        ("SELECT COUNT(*) AS c, a FROM _ GROUP BY a HAVING MAX(c) > 1", 53),
        ("SELECT n FROM _ ORDER BY n, COUNT(*)", 28),
        ("SELECT DISTINCT n FROM _ ORDER BY COUNT(*)", 34),
    ])
    func `an aggregate that SQLite would reject is rejected at its position`(
        sql: String,
        offset: Int
    ) throws {
        let error = queryError { try checked(sql) }
        #expect(error?.code == .invalidQuery && error?.offset == offset, "\(error as Any)")
    }

    @Test(arguments: [
        "SELECT SUM(CASE WHEN ANY v IN a SATISFIES v = 1 END THEN 1 ELSE 0 END) FROM _",
        "SELECT COUNT(*) FROM _ ORDER BY MAX(n)", "SELECT n FROM _ GROUP BY n ORDER BY COUNT(*)",
        "SELECT n, EXISTS (SELECT MAX(m) FROM _) FROM _",
        "SELECT n FROM _ WHERE ANY v IN a SATISFIES EXISTS (SELECT COUNT(*) FROM _) END",
    ])
    func `an aggregate next to, around or below a condition on items is accepted`(
        _ sql: String
    ) throws {
        _ = try checked(sql)
    }

    private static let noCase = QueryCollation(isCaseSensitive: false)

    @Test func `the collation of an operand applies to the comparison`() throws {
        let statement = try checked(
            "SELECT MAX(s COLLATE NOCASE), CONTAINS((s COLLATE NOCASE), 'x'),"
                + " CASE (s COLLATE NOCASE) WHEN 'a' THEN 1 END FROM _"
        )
        for column in statement.columns {
            switch column.expression {
            case .aggregate(_, _, let found, _), .call(_, _, let found),
                .choice(_, _, _, let found):
                #expect(found == Self.noCase)
            default: Issue.record("\(column)")
            }
        }
    }

    @Test func `an alias has the collation of its column`() throws {
        let statement = try checked(
            "SELECT s COLLATE NOCASE AS x FROM _ WHERE x = 'A' AND x IN ('b') AND x.k = 'A'"
                + " GROUP BY x HAVING MIN(x) < 'b' ORDER BY x"
        )
        #expect(statement.columns[0].collation == Self.noCase)
        #expect(statement.groups[0].collation == Self.noCase)
        #expect(statement.orderings[0].key.collation == Self.noCase)
        let x = CheckedExpression.column(0, QueryPath())
        #expect(
            statement.filter
                == .and([
                    .comparison(.equal, x, .literal(.string("A")), Self.noCase),
                    .isOneOf(x, [.literal(.string("b"))], Self.noCase),
                    .comparison(.equal, .column(0, "k"), .literal(.string("A")), .binary),
                ])
        )
        #expect(
            statement.groupFilter
                == .comparison(
                    .less,
                    .aggregate(.minimum, x, Self.noCase),
                    .literal(.string("b")),
                    .binary
                )
        )
    }

    @Test func `nesting levels are counted, including those of subqueries`() throws {
        #expect(try QueryStatement(sql: "SELECT 1 FROM _").height == 1)
        let deep = try QueryStatement(
            sql: "SELECT a FROM _ WHERE EXISTS (SELECT LOWER(b) FROM _) AND LOWER(UPPER(c)) = 'x'"
        )
        #expect(deep.height == 5 && deep.deepest?.offset == 22)
    }
}
