import DivanJSON
import DivanQuery
import Testing

/// `PREDICTION`: reading and printing.
@Suite struct PredictionSyntaxTests {
    @Test(arguments: [
        "PREDICTION(m, {'a': b})", "PREDICTION(`two words`, {'a': b}).c[1]",
        "PREDICTION(m, {'a': PREDICTION(n, {'b': c}).d}, 'e.f')",
    ])
    func `a printed prediction is parsed to the same prediction in both forms`(
        call: String
    ) throws {
        let statement = try QueryStatement(sql: "SELECT \(call) AS x FROM c WHERE \(call) > 1")
        #expect(try QueryStatement(sql: statement.sql) == statement)
        #expect(try QueryStatement(json: statement.json) == statement)
    }

    @Test func `an output can be the third argument or a path`() throws {
        let path = try QueryExpression(sql: "PREDICTION(m, {'a': b}).c.d")
        #expect(try QueryExpression(sql: "PREDICTION(m, {'a': b}, 'c.d')") == path)
        let json: JSON = ["PREDICTION()", "m", ["a": [".b"]], ".c.d"]
        #expect(try QueryExpression(json: json) == path)
    }

    @Test(
        arguments: [
            ["PREDICTION()", "m"], ["PREDICTION()", 1, [".b"]], ["PREDICTION()", "", [".b"]],
            ["PREDICTION()", "m", [".b"], ".c", ".d"], ["PREDICTION()", "m", [".b"], 1],
        ] as [JSON]
    )
    func `malformed JSON is rejected`(json: JSON) {
        #expect(throws: QueryError.self) { try QueryExpression(json: json) }
    }
}
