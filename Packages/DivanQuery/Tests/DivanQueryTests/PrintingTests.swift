import DivanJSON
import DivanQuery
import Testing

/// How a parsed query is printed if names and signs are unusual.
@Suite struct PrintingTests {
    @Test(arguments: [
        "SELECT $`sp ace`, $`c[0]`, $`$x`, $`tick``s`, $`1` FROM _",
        "SELECT $select, $CASE, $a$b, $_1 FROM _",
        "SELECT -price, - -price, - +price, +(-5), -(2.5), -(NOT a), -META().sequence FROM _",
        "SELECT a IS NOT b, a IS (NOT b), a IS (NOT MISSING), a IS NOT NULL FROM _",
        "SELECT a IS (NOT b || c), a IS (NOT b + 1), a = NOT b FROM _",
        "SELECT `select`, ```` FROM `my shop`.`from` AS `a b`",
        "SELECT META().id[0], META().id.x[1], META(a).sequence.x, (META()).x FROM _ AS a",
    ])
    func `unusual names and operators round-trip`(text: String) throws {
        let statement = try QueryStatement(sql: text)
        let printed = statement.sql
        #expect(printed == text)
        #expect(try QueryStatement(sql: printed) == statement)
    }

    @Test func `collations accept the long names for accents from the Couchbase Lite manual`()
        throws
    {
        for (long, short) in [
            ("DIACRITIC", "DIAC"), ("Diacritics", "DIAC"), ("NODIACRITIC", "NODIAC"),
            ("nodiacritics", "NODIAC"),
        ] {
            let statement = try QueryStatement(
                sql: "SELECT a FROM _ ORDER BY a COLLATE (UNICODE \(long))"
            )
            #expect(statement.sql == "SELECT a FROM _ ORDER BY a COLLATE (UNICODE \(short))")
        }
    }

    /// With such a mark before a name, or a number sign after it, dots, `$` and `?` become other characters.
    @Test(arguments: ["\u{301}", "\u{612}", "\u{600}"])
    func `names that start or end with a combining character round-trip`(
        mark: String
    ) throws {
        let name = "`\(mark)a\(mark)`"
        let text =
            "SELECT \(name), b.\(name), \(name).b[0], $\(name), \(name).*, {'\(mark)a': 1}.\(name), "
            + "ANY \(name) IN b SATISFIES \(name).\(name) = 1 END FROM _ ORDER BY '.\(mark)'"
        let statement = try QueryStatement(sql: text)
        let read = try QueryStatement(json: statement.json)
        #expect(read == statement)
        #expect(try QueryStatement(sql: read.sql) == statement)
    }

    @Test(arguments: [
        #"{"WHAT": [[".[0]."]]}"#, #"{"WHAT": [[".[0].a"]]}"#,
        #"{"WHAT": [["MATCH()", "[0].words", "a"]]}"#, #"{"WHAT": [["RANK()", "[1]"]]}"#,
        #"{"WHAT": [["META()", "[0]"]]}"#,
    ])
    func `a property path that starts with an array index is rejected`(text: String) throws {
        let json = try JSON(parsing: Array(text.utf8).span)
        let error = #expect(throws: QueryError.self) { _ = try QueryStatement(json: json) }
        #expect(error?.problem.contains("cannot start with an array index") == true)
    }

    /// Each sign is a level; a pair of parentheses around each would be two.
    @Test func `the longest accepted chain of signs is printed as valid SQL++`() throws {
        var last: String?
        for count in 1...200 {
            let signs = (0..<count).map { $0.isMultiple(of: 3) ? "+" : "-" }.joined(separator: " ")
            guard let statement = try? QueryStatement(sql: "SELECT \(signs)a FROM _") else { break }
            last = statement.sql
            #expect(try QueryStatement(sql: statement.sql) == statement)
        }
        #expect(last != nil)
    }

    @Test func `a string that looks like a path stays a string in every clause`() throws {
        let text = "SELECT '.a', '.b' AS b FROM _ GROUP BY '.c' ORDER BY '.d', '.e' DESC, '.f'"
        let statement = try QueryStatement(sql: text)
        let read = try QueryStatement(json: statement.json)
        #expect(read == statement)
        #expect(read.sql == text)
    }

    /// A combining mark forms one character with the quote before it.
    @Test(arguments: ["'\u{301}", "it'\u{301}s", "`\u{301}", "a`\u{20DD}b", "\u{301}", ".\u{301}"])
    func `a combining mark after a quote does not break quoting`(text: String) throws {
        let literal = QueryExpression(.literal(.string(text)))
        #expect(try QueryExpression(sql: literal.sql) == literal)
        let path = QueryPath([.key(ExactText(text)), .key("b")])
        let property = QueryExpression(.property(path))
        #expect(try QueryExpression(sql: property.sql) == property)
    }
}
