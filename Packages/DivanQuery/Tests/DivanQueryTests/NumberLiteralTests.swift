import DivanJSON
import DivanQuery
import Testing

/// A number in a query is that number, or a double near it, and never another integer.
@Suite struct NumberLiteralTests {
    private func literal(_ text: String) throws -> QueryExpression.Form {
        try QueryExpression(sql: text).form
    }

    @Test(arguments: [
        ("9223372036854775807", QueryLiteral.integer(.max)), ("0", .integer(0)),
        ("-9223372036854775808", .integer(.min)), ("9223372036854775808", .double(0x1p63)),
        ("18446744073709551615", .double(0x1p64)),
        ("-9223372036854777857", .double(-0x1.0000000000001p63)),
        ("00000000000000000000000012", .integer(12)),
        ("1" + String(repeating: "0", count: 300), .double(1e300)),
        ("9007199254740993", .integer(9_007_199_254_740_993)), ("5.", .double(5)),
        ("1e3", .double(1000)),
    ])
    func `an integer is exact, and beyond 64 bits it becomes a double`(
        text: String,
        expected: QueryLiteral
    ) throws {
        #expect(try literal(text) == .literal(expected))
        let statement = try QueryStatement(sql: "SELECT \(text) FROM _")
        #expect(try QueryStatement(sql: statement.sql) == statement)
        #expect(try QueryStatement(json: statement.json) == statement)
    }

    @Test(arguments: [
        "-9223372036854775809", "-9223372036854776832", "9" + String(repeating: "9", count: 400),
        "-9" + String(repeating: "9", count: 400),
    ])
    func `a number without a double near it is rejected`(text: String) throws {
        #expect(throws: QueryError.self) { try literal(text) }
        #expect(throws: QueryError.self) {
            try QueryStatement(sql: "SELECT a FROM _ WHERE v = \(text)")
        }
    }

    @Test(arguments: ["-9223372036854775809", "-9223372036854775808.5"])
    func `the JSON form also rejects a number without a double near it`(text: String) throws {
        let json = try JSON(parsing: #"{"WHAT": [["=", [".v"], \#(text)]]}"#)
        let error = #expect(throws: QueryError.self) { try QueryStatement(json: json) }
        #expect(error?.problem.contains(text) == true)
    }

    @Test(arguments: [("18446744073709551615", Int64.max), ("-18446744073709551616", 0), ("7", 7)])
    func `a LIMIT or OFFSET beyond 64 bits is clamped`(text: String, expected: Int64) throws {
        let statement = try QueryStatement(sql: "SELECT a FROM _ LIMIT \(text) OFFSET \(text)")
            .checked(against: VectorCatalogue())
        #expect(statement.limit == .literal(.integer(expected)))
        #expect(statement.offset == .literal(.integer(expected)))
        #expect(throws: QueryError.self) {
            try QueryStatement(sql: "SELECT a FROM _ LIMIT 1.5").checked(against: VectorCatalogue())
        }
    }
}

/// `DISTINCT` inside an aggregate.
@Suite struct DistinctAggregateTests {
    @Test(arguments: [
        "COUNT(DISTINCT a)", "SUM(DISTINCT a + 1)", "AVG(DISTINCT a.b)", "MIN(DISTINCT a)",
        "MAX(DISTINCT a)",
        "ARRAY_AGG(DISTINCT a)", "COUNT(DISTINCT a COLLATE NOCASE)", "COUNT(DISTINCT *)",
        "COUNT(DISTINCT 1)",
    ])
    func `DISTINCT in an aggregate round-trips through SQL++ and JSON`(text: String) throws {
        let expression = try QueryExpression(sql: text)
        guard case .aggregate(_, .some, isDistinct: true) = expression.form else {
            Issue.record("\(expression)")
            return
        }
        #expect(expression.sql == text)
        let statement = try QueryStatement(
            sql: "SELECT \(text), count(distinct a) AS n FROM _ GROUP BY b"
        )
        #expect(try QueryStatement(sql: statement.sql) == statement)
        #expect(try QueryStatement(json: statement.json) == statement)
    }

    @Test(arguments: [
        "COUNT(DISTINCT)", "COUNT(DISTINCT a, b)", "SUM(DISTINCT)", "COUNT(a DISTINCT)",
        "ABS(DISTINCT a)",
        "COUNT(DISTINCT DISTINCT a)",
    ])
    func `any other use of DISTINCT is rejected`(text: String) {
        #expect(throws: QueryError.self) { try QueryExpression(sql: text) }
    }
}
