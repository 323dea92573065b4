import DivanQuery
import Testing

/// Mistakes of people who know another dialect, and typing errors.
///
/// In the texts, `¦` is before the position that the error names.
@Suite struct SyntaxMistakeTests {
    private static let misspelt: [(String, String)] = [
        ("¦SELCT name FROM _", "did you mean SELECT?"),
        ("SELECT ¦DISTICT a.b FROM _", "did you mean DISTINCT?"),
        ("SELECT name ¦FORM shop.chairs", "did you mean FROM?"),
        ("SELECT name ¦FORM inv.chairs", "did you mean FROM?"),
        ("SELECT land ¦FORM andy.chairs", "did you mean FROM?"),
        ("SELECT name ¦FRM shop.chairs", "did you mean FROM?"),
        ("SELECT name FROM shop.chairs ¦WHER price = 1", "did you mean WHERE?"),
        ("SELECT name FROM _\n¦WEHRE price = 1", "did you mean WHERE?"),
        ("SELECT name FROM _ ¦GROPU BY name", "did you mean GROUP?"),
        ("SELECT name FROM _ ¦ODER BY name", "did you mean ORDER?"),
        ("SELECT name FROM _ ¦LIMT 5", "did you mean LIMIT?"),
        ("SELECT name FROM _ ORDER BY price ¦DES", "did you mean DESC?"),
        ("SELECT name FROM _ WHERE name ¦LIK 'o%'", "did you mean LIKE?"),
        ("SELECT name FROM _ WHERE price ¦BETWEN 1 AND 5", "did you mean BETWEEN?"),
        ("SELECT a.n FROM _ AS a LEFT ¦JION _ AS b ON a.x = b.x", "did you mean JOIN?"),
        ("SELECT a.n FROM _ AS a ¦UNEST a.tags AS t", "did you mean UNNEST?"),
        ("SELECT ¦LENTGH(name) FROM _", "did you mean LENGTH?"),
    ]

    private static let otherDialects: [(String, String)] = [
        ("¦INSERT INTO _ VALUES (1)", "no INSERT; queries are read-only; save documents with"),
        ("¦UPDATE _ SET price = 1", "no UPDATE; queries are read-only"),
        ("¦DELETE FROM _ WHERE price = 1", "delete documents with"),
        ("¦CREATE INDEX x ON _(price)", "divan index make"),
        ("¦DROP INDEX x", "divan index rm"), ("¦SHOW TABLES", "divan collections"),
        ("¦EXPLAIN SELECT name FROM _", ".explain"), ("¦BEGIN", "inBatch"),
        ("¦WITH x AS (SELECT 1) SELECT * FROM x", "pass them as a parameter"),
        ("¦name FROM _", "a query begins with SELECT"),
        ("¦FROM _ SELECT name", "a query begins with SELECT"), ("¦", "the query is empty"),
        ("SELECT a FROM _ ¦UNION SELECT a FROM _", "run two queries"),
        ("SELECT a FROM _ ¦EXCEPT SELECT a FROM _", "run two queries"),
        ("SELECT a.x FROM _ AS a ¦RIGHT JOIN _ AS b ON a.x = b.x", "write LEFT JOIN"),
        ("SELECT a.x FROM _ AS a ¦FULL OUTER JOIN _ AS b ON a.x = b.x", "no FULL; use LEFT JOIN"),
        ("SELECT a.x FROM _ ¦FULL JOIN _ AS b ON a.x = b.x", "no FULL; use LEFT JOIN"),
        ("SELECT a.x FROM _ AS a ¦NATURAL JOIN _ AS b", "JOIN … ON"),
        ("SELECT a.x FROM _ AS a JOIN _ AS b ¦USING (x)", "JOIN … ON"),
        ("SELECT a FROM _ ¦USE KEYS 'k'", "META().id IN"),
        ("SELECT a FROM _ ¦NEST b ON KEYS x", "ARRAY_AGG"),
        ("SELECT a FROM _ ¦LET x = 1", "name the expression with AS"),
        ("SELECT SUM(a) ¦OVER (PARTITION BY b) FROM _", "number the rows in your program"),
        ("SELECT ¦ROW_NUMBER() FROM _", "window functions are not supported"),
        ("SELECT ¦TOP 5 name FROM _", "LIMIT 10"),
        ("SELECT a FROM _ ¦FETCH FIRST 5 ROWS ONLY", "LIMIT 10"),
        ("SELECT a FROM _ LIMIT 5¦, 10", "LIMIT 10 OFFSET 20"),
        ("SELECT a FROM _ ORDER BY a ¦NULLS LAST", "IS NOT VALUED"),
        ("SELECT a FROM _ ORDER BY a ¦DESCENDING", "write DESC"),
        ("SELECT a FROM _ WHERE a ¦ILIKE 'o%'", "LOWER(name) LIKE"),
        ("SELECT a FROM _ WHERE a ¦REGEXP 'o.*'", "REGEXP_LIKE"),
        ("SELECT a FROM _ WHERE a ¦~ 'o.*'", "REGEXP_LIKE"),
        ("SELECT a FROM _ WHERE a ¦GLOB 'o*'", "LIKE"),
        ("SELECT a FROM _ WHERE a ¦STARTS WITH 'O'", "LIKE 'text%'"),
        ("SELECT a FROM _ WHERE a ¦CONTAINS 'O'", "CONTAINS(name, 'text')"),
        ("SELECT a FROM _ WHERE a ¦MATCH 'x'", "MATCH(index, 'words')"),
        ("SELECT a FROM _ WHERE a LIKE 'x' ¦ESCAPE '!'", "escape with a backslash"),
        ("SELECT a FROM ¦(SELECT a FROM _)", "only in EXISTS (SELECT …)"),
        ("SELECT a FROM _ WHERE a = (¦SELECT MAX(a) FROM _)", "only in EXISTS (SELECT …)"),
        ("SELECT a FROM _ WHERE a IN (¦SELECT a FROM _)", "only in EXISTS (SELECT …)"),
        ("SELECT ¦NOW() FROM _", "pass the time as a parameter"),
        ("SELECT ¦COALESCE(a, 0) FROM _", "IFMISSINGORNULL"),
        ("SELECT ¦SUBSTR(a, 1, 2) FROM _", "REGEXP_REPLACE"),
        ("SELECT ¦LEFT(a, 1) FROM _", "REGEXP_REPLACE"),
        ("SELECT ¦CAST(a AS TEXT) FROM _", "TONUMBER"), ("SELECT ¦LEN(a) FROM _", "LENGTH"),
        ("SELECT ¦IF(a > 1, 1, 2) FROM _", "CASE WHEN"),
        ("SELECT ¦GROUP_CONCAT(a) FROM _", "ARRAY_AGG"), ("SELECT ¦MEDIAN(a) FROM _", "program"),
    ]

    private static let namesAndValues: [(String, String)] = [
        ("SELECT a FROM _ WHERE a = ¦?", "write $name"),
        ("SELECT a FROM _ WHERE a = ¦?1", "write $name"),
        ("SELECT a FROM _ WHERE a = ¦:p", "write $name"),
        ("SELECT a FROM _ WHERE a = ¦@p", "write $name"),
        ("SELECT a FROM _ WHERE a = ¦%s", "write $name"),
        ("SELECT a FROM _ WHERE a = $¦1", "parameter names begin with a letter"),
        ("SELECT a FROM _ WHERE a = $¦{p}", "write $name"),
        ("SELECT a FROM _ WHERE a = {¦p}", "write $name"),
        ("SELECT {¦a: 1} FROM _", "put object keys in quotes: {'a': …}"),
        (
            "SELECT a FROM ¦\"shop\".\"chairs\"",
            "is a string; write the name without quotes, or in backticks: `shop`"
        ),
        ("SELECT a FROM ¦'shop.chairs'", "`shop`.`chairs`"),
        ("SELECT a AS ¦\"n\" FROM _", "`n`"), ("SELECT a FROM ¦[shop].[chairs]", "`shop`"),
        ("SELECT a FROM ¦my-shop", "needs backticks: `my-shop`"),
        ("SELECT ¦größe FROM _", "needs backticks: `größe`"),
        ("SELECT ¦椅子 FROM _", "needs backticks: `椅子`"),
        (
            "SELECT ¦order FROM _",
            "ORDER is a reserved word; to use it as a name, put it in backticks: `order`"
        ),
        ("SELECT a AS ¦group FROM _", "`group`"), ("SELECT a¦, limit FROM _", "extra comma"),
        (
            "SELECT a FROM _ WHERE a = ¦'it's'",
            "double a quote inside it, without a backslash: 'it''s'"
        ),
        ("SELECT a FROM _ WHERE a = ¦'it\\'s'", "double a quote inside it, without a backslash"),
        ("SELECT a FROM _ WHERE a = ¦'Oslo", "the closing ' is missing"),
        ("SELECT ¦`a FROM _", "the closing ` is missing"),
        ("SELECT ¦`` FROM _", "the name in backticks is empty"),
        ("SELECT a.¦`` FROM _", "the name in backticks is empty"),
        ("SELECT a AS ¦`` FROM _", "the name in backticks is empty"),
        ("SELECT a FROM shop.¦``", "the name in backticks is empty"),
        ("SELECT a FROM _ WHERE a = $¦``", "parameter names begin with a letter"),
        ("SELECT a FROM _ WHERE a = ¦‘Oslo’", "use straight quotes"),
        ("SELECT a FROM _ WHERE a = ¦“Oslo”", "use straight quotes"),
        ("SELECT a FROM _ WHERE a LIKE ¦o%", "put the pattern in quotes: 'o%'"),
        ("SELECT a FROM _ WHERE a = ¦0x10", "numbers are decimal"),
        ("SELECT a FROM _ WHERE a = ¦1_000", "without _"),
        ("SELECT a FROM _ WHERE a = 1¦,000", "without a comma"),
        ("SELECT a[¦] FROM _", "one integer: a[0]"), ("SELECT a[¦*] FROM _", "UNNEST"),
        ("SELECT a[0¦:1] FROM _", "one integer"), ("SELECT a[¦i] FROM _", "one integer"),
        ("SELECT a[¦'b'] FROM _", "a.`b`"), ("SELECT a¦->b FROM _", "write a.b"),
        ("SELECT a.¦.b FROM _", "extra dot"),
        ("SELECT ¦.a FROM _", "extra dot"),
        ("SELECT a FROM b.c¦.d", "a collection is scope.name"),
    ]

    private static let signs: [(String, String)] = [
        ("SELECT a FROM _ WHERE a ¦=== 1", "write ="),
        ("SELECT a FROM _ WHERE a ¦!== 1", "write <>"),
        ("SELECT a FROM _ WHERE a ¦=> 1", "write >="),
        ("SELECT a FROM _ WHERE a ¦=< 1", "write <="),
        ("SELECT a FROM _ WHERE a ¦:= 1", "write ="), ("SELECT a FROM _ WHERE a ¦≠ 1", "write <>"),
        ("SELECT a FROM _ WHERE a = 1 ¦&& b = 1", "write AND"),
        ("SELECT a FROM _ WHERE a ¦& 2", "no bitwise operators"),
        ("SELECT a FROM _ WHERE ¦!(a = 1)", "NOT (a = 1)"),
        ("SELECT a FROM _ WHERE a ¦^ 2", "POWER"),
        ("SELECT a FROM _ ¦-- a comment", "no comments"),
        ("SELECT a ¦/* b */ FROM _", "no comments"),
        ("SELECT a ¦-- b\nFROM _", "no comments"), ("¦# a comment", "no comments"),
        ("SELECT a\u{A0}FROM _".marked(at: 8), "U+00A0 is not a plain space"),
        ("SELECT a FROM _ WHERE a = 1¦)", "unmatched )"),
        ("SELECT a FROM ¦(_)", "without parentheses"),
    ]

    private static let clauses: [(String, String)] = [
        ("SELECT a¦", "FROM is missing; name a collection, such as FROM _"),
        ("SELECT a ¦WHERE a = 1", "FROM is missing before WHERE"),
        ("SELECT ¦FROM _", "nothing between SELECT and FROM; list the columns"),
        ("SELECT a FROM¦", "expected a collection name"),
        ("SELECT a FROM _ WHERE¦", "unexpected end of the query, expected an expression"),
        ("SELECT a FROM _ WHERE ¦ORDER BY a", "nothing between WHERE and ORDER"),
        ("SELECT a FROM _ WHERE ¦AND a = 1", "nothing between WHERE and AND"),
        ("SELECT a FROM _ ORDER ¦a", "BY is missing after ORDER"),
        ("SELECT a FROM _ GROUP ¦a", "BY is missing after GROUP"),
        ("SELECT a¦, FROM _", "extra comma before FROM"),
        ("SELECT ¦, a FROM _", "extra comma"),
        ("SELECT a FROM _¦,", "extra comma"),
        ("SELECT a.n FROM _ AS a¦, _ AS b", "JOIN … ON"),
        ("SELECT a b ¦c FROM _", "separate columns with commas"),
        ("SELECT a FROM _ WHERE a = 1 ¦b = 2", "combine conditions with AND or OR"),
        ("SELECT a FROM _ WHERE a = 1¦, b = 2", "combine conditions with AND or OR"),
        ("SELECT a FROM _ WHERE a BETWEEN 1¦, 5", "write AND between the bounds of BETWEEN"),
        ("SELECT a FROM _ LIMIT 1 ¦WHERE a = 1", "WHERE must come before LIMIT"),
        ("SELECT a FROM _ ORDER BY a ¦GROUP BY a", "GROUP must come before ORDER"),
        ("SELECT a FROM _ WHERE a = 1 ¦WHERE b = 1", "duplicate WHERE"),
        ("SELECT a FROM _ ¦HAVING a > 1", "HAVING must follow GROUP BY"),
        ("SELECT a FROM _;¦;", "only one query at a time"),
        ("SELECT a FROM _; ¦SELECT b FROM _", "only one query at a time"),
        ("SELECT ¦COUNT * FROM _", "write COUNT(*)"),
        ("SELECT a FROM _ WHERE EXISTS ¦tags", "tags IS NOT MISSING"),
        ("SELECT a FROM _ WHERE EXISTS (¦tags)", "tags IS NOT MISSING"),
        ("SELECT a FROM _ WHERE ANY t IN a SATISFIES t = 1¦", "expected END"),
        ("SELECT CASE WHEN a THEN b ¦FROM _", "WHEN, ELSE or END"),
        ("SELECT a FROM _ WHERE (a = 1¦", "expected ')'"),
        ("SELECT a FROM _ WHERE a IN [1¦", "expected ',' or ']'"),
    ]

    @Test(arguments: misspelt + otherDialects + namesAndValues + signs + clauses)
    func `a mistake is reported with its position and a remedy`(text: String, remedy: String) throws
    {
        let parts = text.split(separator: "¦", omittingEmptySubsequences: false)
        try #require(parts.count == 2, "\(text)")
        let error = try #require(
            queryError { try QueryStatement.checked(parts.joined()) },
            "\(text)"
        )
        let lines = parts[0].split(separator: "\n", omittingEmptySubsequences: false)
        #expect(error.line == lines.count, "\(text): \(error)")
        #expect(error.column == (lines.last?.utf8.count ?? 0) + 1, "\(text): \(error)")
        #expect(error.problem.contains(remedy), "\(text): \(error)")
    }

    @Test func `keywords of other dialects can be used as names`() throws {
        for name in ["union", "top", "first", "value", "set", "contains", "match", "full", "over"] {
            let sql = "SELECT \(name), a.\(name) AS \(name)2 FROM _ AS a WHERE \(name) = 1"
            #expect(throws: Never.self) { try QueryStatement(sql: sql) }
            #expect(throws: Never.self) { try QueryStatement(sql: "SELECT 1 AS \(name) FROM _") }
        }
        #expect(throws: Never.self) { try QueryStatement(sql: "SELECT full FROM _ full WHERE 1") }
        #expect(throws: Never.self) { try QueryStatement(sql: "SELECT 5--3, 5 - -3 FROM _") }
    }

    @Test func `errors have a position in the text after any cut or insertion`() throws {
        let texts = (Self.misspelt + Self.otherDialects + Self.namesAndValues + Self.signs)
            .map { $0.0.replacing("¦", with: "") }
        for text in texts {
            let characters = Array(text)
            for place in characters.indices {
                for piece in [
                    characters[..<place], characters[..<place] + ["("] + characters[place...],
                ] {
                    let sql = String(piece)
                    guard let error = queryError({ try QueryStatement.checked(sql) }) else {
                        continue
                    }
                    #expect((error.offset ?? -1) <= sql.utf8.count && error.line != nil, "\(sql)")
                    #expect(!error.problem.isEmpty)
                }
            }
        }
    }
}

extension String {
    /// The text with the mark before its `count`th character.
    fileprivate func marked(at count: Int) -> String { prefix(count) + "¦" + dropFirst(count) }
}
