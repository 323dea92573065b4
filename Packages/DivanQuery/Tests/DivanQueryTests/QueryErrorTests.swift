import DivanJSON
import DivanQuery
import DivanTestKit
import Testing

@Suite struct QueryErrorTests {
    @Test(arguments: [
        (
            "SELECT name FROM _ WHERE LENTGH(name) > 3",
            "line 1, column 26: unknown function LENTGH; did you mean LENGTH?"
        ),
        (
            "SELECT name\nFROM _\nWHERE POWER(1) > 2",
            "line 3, column 7: Wrong number of arguments to POWER(): it takes 2, not 1"
        ),
        (
            "SELECT name FROM shop.chair",
            "line 1, column 18: no such collection \"shop.chair\""
        ),
        (
            "SELECT order FROM _",
            "line 1, column 8: ORDER is a reserved word; to use it as a name, put it in"
                + " backticks: `order`"
        ),
        ("SELECT 'x FROM _", "line 1, column 8: the closing ' is missing"),
        (
            "SELECT COUNT(*) FROM _ WHERE COUNT(*) > 1",
            "line 1, column 30: COUNT() is not allowed in WHERE; use HAVING for conditions on"
                + " groups"
        ),
        (
            "SELECT n FROM _ GROUP BY COUNT(*)",
            "line 1, column 26: COUNT() is not allowed in GROUP BY; use it in SELECT, HAVING or"
                + " ORDER BY"
        ),
        (
            "SELECT SUM(n) AS s FROM _ WHERE s > 1",
            "line 1, column 33: 's' is an aggregate, which is not allowed in WHERE; use HAVING"
                + " for conditions on groups"
        ),
        (
            "SELECT a FROM _ LIMIT a",
            "line 1, column 23: LIMIT and OFFSET cannot depend on a row; use a parameter"
        ),
        (
            "SELECT META().id AS a, n AS A FROM _ WHERE A = 1",
            "line 1, column 24: duplicate alias 'A'; rename one of them"
        ),
    ])
    func `an error shows its position and a remedy`(_ sql: String, _ text: String) {
        #expect(queryError { try QueryStatement.checked(sql) }?.description == text)
    }

    @Test(arguments: [
        "LIMIT META().sequence", "LIMIT 1 OFFSET META().expiration", "LIMIT *", "LIMIT META()",
        "LIMIT 1 + a", "LIMIT c", "LIMIT _id", "LIMIT RANK(storyEn)",
        "LIMIT 1 OFFSET RANK(storyEn)",
    ])
    func `LIMIT and OFFSET cannot depend on a row`(_ clause: String) {
        let sql = "SELECT a AS c FROM shop.chairs WHERE MATCH(storyEn, 'x') \(clause)"
        let problem = queryError { try QueryStatement.checked(sql) }?.problem
        #expect(problem == "LIMIT and OFFSET cannot depend on a row; use a parameter")
    }

    @Test(arguments: [
        "SELECT 1 FROM shop.chairs a JOIN shop.makers b ON b.n = a.n WHERE MATCH(a.storyEn, b.name)",
        "SELECT b.name AS n FROM shop.chairs a JOIN shop.makers b ON b.n = a.n WHERE MATCH(a.storyEn, n)",
        "SELECT 1 FROM shop.chairs a UNNEST a.tags t WHERE a.n = 1 AND MATCH(a.storyEn, 'x' || t)",
    ])
    func `the text of MATCH cannot come from a source that is read later`(_ sql: String) {
        let problem = queryError { try QueryStatement.checked(sql) }?.problem
        #expect(problem?.hasSuffix("put the other source first in FROM") == true)
    }

    @Test func `the text of MATCH can come from documents that are read earlier`() throws {
        for sql in [
            "SELECT 1 FROM shop.chairs WHERE MATCH(storyEn, name)",
            "SELECT 1 FROM shop.makers b JOIN shop.chairs a ON b.n = a.n WHERE MATCH(a.storyEn, b.name)",
        ] {
            _ = try QueryStatement.checked(sql)
        }
        let ranked = "SELECT 1 FROM shop.chairs WHERE MATCH(storyEn, RANK(storyEn))"
        #expect(queryError { try QueryStatement.checked(ranked) } != nil)
    }

    @Test(arguments: [
        "SELECT a AS b, c AS B FROM _", "SELECT a AS `é`, b AS X, c AS x FROM _",
        "SELECT C.a AS c FROM _ AS C", "SELECT x.a AS Y FROM _ x JOIN _ y ON x.a = y.a",
    ])
    func `aliases that differ only in case are duplicates`(_ sql: String) {
        let problem = queryError { try QueryStatement.checked(sql) }?.problem
        #expect(problem?.hasPrefix("duplicate alias '") == true)
    }

    @Test func `a position is counted in lines and bytes`() {
        let text = "SELECT ä\nFROM _"
        #expect(QueryPosition(offset: 7).lineAndColumn(in: text) == (1, 8))
        #expect(QueryPosition(offset: 15).lineAndColumn(in: text) == (2, 6))
    }

    @Test(arguments: [
        "(", "NOT ", "-", "+", "[", "ABS(", "CASE WHEN ", "{'a':", "ANY x IN ", "a = ", "a < ",
        "a IS ", "EXISTS (SELECT ", "a IN (", "a - b + ", "a BETWEEN ", "(a OR b AND ",
        "1 * (2 + ", "('x' || ", "a.b[", "a.", "META(", "$", "'", "`", "SELECT ", "x COLLATE ",
    ])
    func `ten thousand nested levels give an error or a query on a small stack`(
        _ piece: String
    ) async {
        for end in ["", "1", "1 FROM _"] {
            let sql = "SELECT " + String(repeating: piece, count: 10_000) + end
            await onSmallStack {
                if let statement = try? QueryStatement(sql: sql) {
                    _ = try? statement.checked(against: VectorCatalogue())
                    _ = statement.sql
                }
            }
        }
    }

    @Test(arguments: [
        #"["NOT","#, #"["-","#, #"["AND",1,"#, #"["||","x","#, #"["ABS()","#, #"["[]","#, #"{"a":"#,
        #"["CASE",null,"#, #"["ANY","x",[".a"],"#, #"["EXISTS",{"WHERE":"#, #"["COLLATE",{},"#,
        #"["_.",["[]",1],"#, "[",
    ])
    func `nested levels of the JSON form give an error or a query on a small stack`(
        _ piece: String
    ) async {
        for depth in [40, 90, 100, 130, 260, 520, 10_000] {
            var open: [Character] = []
            for character in piece {
                if let close = (["[": "]", "{": "}"] as [Character: Character])[character] {
                    open.append(close)
                } else if character == open.last {
                    open.removeLast()
                }
            }
            let close = String(open.reversed())
            let json =
                #"["SELECT",{"WHAT":["# + String(repeating: piece, count: depth) + "1"
                + String(repeating: close, count: depth)
                + #"],"FROM":[{"COLLECTION":"_default"}]}]"#
            await onSmallStack {
                guard let tree = try? JSON(parsing: Array(json.utf8)),
                    let statement = try? QueryStatement(json: tree)
                else { return }
                _ = try? statement.checked(against: VectorCatalogue())
                _ = (statement.sql, statement.json)
            }
        }
    }

    @Test func `the deepest allowed query can be checked and printed on a small stack`() async {
        let depth = QueryLimits.standard.depth - 3
        let sql =
            "SELECT " + String(repeating: "ABS(", count: depth) + "x"
            + String(repeating: ")", count: depth) + " FROM _"
        let isSound = await onSmallStack {
            guard let statement = try? QueryStatement(sql: sql),
                (try? statement.checked(against: VectorCatalogue())) != nil,
                (try? QueryStatement(sql: statement.sql)) == statement,
                (try? QueryStatement(json: statement.json)) == statement
            else { return false }
            return true
        }
        #expect(isSound)
    }

    @Test func `a megabyte of text is parsed in linear time, and more is rejected`() throws {
        let growth = try TimeGrowth(from: 10_000, to: 100_000, limit: 40) { count in
            let terms = Array(repeating: "a = 1", count: count).joined(separator: " OR ")
            _ = try QueryStatement(sql: "SELECT 1 FROM _ WHERE \(terms)")
        }
        #expect(growth.isWithinLimit, "\(growth)")
        let tooLong = "SELECT 1 FROM _ WHERE " + String(repeating: "x", count: 1 << 20)
        #expect(queryError { try QueryStatement.checked(tooLong) } != nil)
    }

    @Test(arguments: [
        #"{"WHAT":[[".",""]],"FROM":[{"COLLECTION":"_"}]}"#,
        #"{"WHAT":[[".","a",""]],"FROM":[{"COLLECTION":"_"}]}"#,
        #"{"WHAT":[["AS",[".a"],""]],"FROM":[{"COLLECTION":"_"}]}"#,
        #"{"WHAT":[[".a"]],"FROM":[{"COLLECTION":"_","AS":""}]}"#,
        #"{"WHAT":[["$",""]],"FROM":[{"COLLECTION":"_"}]}"#,
    ])
    func `an empty name in the JSON form is an error`(_ json: String) throws {
        let tree = try JSON(parsing: Array(json.utf8))
        #expect(throws: QueryError.self) { try QueryStatement(json: tree) }
    }
}
