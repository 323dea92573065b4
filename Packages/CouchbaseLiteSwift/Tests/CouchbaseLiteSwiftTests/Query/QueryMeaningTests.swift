import CouchbaseLiteSwift
import Foundation
import Testing

/// Queries that SQLite by itself would answer differently or refuse.
@Suite struct QueryMeaningTests {
    let shop: Chairs

    init() throws { shop = try Chairs() }

    private func rows(_ sql: String) throws -> [[String]] {
        try rows(shop.database.createQuery(sql))
    }

    private func rows(_ query: any Query) throws -> [[String]] {
        try query.execute().map { row in
            (0..<row.count).map { index in
                switch row.value(at: index) {
                case let text as String: text
                case let number as NSNumber: "\(number)"
                default: "-"
                }
            }
        }
    }

    @Test func `an empty regular expression matches every string`() throws {
        let pattern = Expression.property("name").regex(Expression.string(""))
        let query = QueryBuilder.select(SelectResult.expression(Expression.property("name")))
            .from(DataSource.collection(shop.chairs)).where(pattern)
            .orderBy(Ordering.expression(Meta.id))
        #expect(try rows(query) == [["Oslo"], ["Bern"], ["Turin"], ["Porto"]])
    }

    // MARK: Names

    @Test func `sources without an alias can be referenced by scope and collection`() throws {
        let query =
            QueryBuilder
            .select(
                SelectResult.expression(Expression.property("name").from("shop.chairs")),
                SelectResult.expression(Meta.id.from("shop.makers")),
                SelectResult.expression(
                    Function.length(Expression.property("name").from("makers"))
                ).as("length")
            )
            .from(DataSource.collection(shop.chairs))
            .join(
                Join.join(DataSource.collection(shop.makers))
                    .on(
                        Meta.id.from("shop.makers")
                            .equalTo(Expression.property("maker").from("shop.chairs"))
                    )
            )
            .where(Expression.property("seats").from("shop.chairs").equalTo(Expression.int(3)))
        #expect(try rows(query) == [["Porto", "m2", "10"]])
        let body = QueryBuilder.select(SelectResult.all().from("shop.makers"))
            .from(DataSource.collection(shop.makers)).orderBy(Ordering.expression(Meta.id))
        #expect(
            try body.execute().next()?.dictionary(at: 0)?.string(forKey: "name")
                == "Nordic Joinery"
        )
        let counted = QueryBuilder.select(
            SelectResult.expression(Function.count(Expression.all().from("shop.makers")))
        ).from(DataSource.collection(shop.makers))
        #expect(try rows(counted) == [["2"]])
    }

    @Test func `a full-text index can be referenced with or without its scope`() throws {
        let config = FullTextIndexConfiguration(["name"])
        try shop.chairs.createIndex(withName: "words", config: config)
        let words = Expression.fullTextIndex("words")
        for name in ["shop.chairs", "chairs"] {
            let query = QueryBuilder.select(SelectResult.property("name"))
                .from(DataSource.collection(shop.chairs))
                .where(FullTextFunction.match(words.from(name), query: "oslo"))
                .orderBy(Ordering.expression(FullTextFunction.rank(words.from(name))))
            #expect(try rows(query) == [["Oslo"]])
        }
    }

    @Test(arguments: ["a.b", "a..b", "a[0]", ".a", #"a\b"#, #"a\.b"#, "c", "shop.makers", "*"])
    func `an alias can look like a path`(_ alias: String) throws {
        let query = QueryBuilder.select(
            SelectResult.expression(Expression.property("name").from(alias)),
            SelectResult.expression(Meta.id.from(alias))
        )
        .from(DataSource.collection(shop.chairs).as(alias))
        .where(Expression.property("seats").from(alias).equalTo(Expression.int(3)))
        #expect(try rows(query) == [["Porto", "c4"]])
        #expect(try rows(query.description) == [["Porto", "c4"]])
    }

    @Test func `the default collection can be referenced by all its names`() throws {
        let people = try shop.database.createCollection(name: "people")
        try people.save(document: MutableDocument(id: "p", data: ["name": "Ada"]))
        let documents = try shop.database.defaultCollection()
        try documents.save(document: MutableDocument(id: "d", data: ["n": 1]))
        #expect(
            try rows("SELECT _default.people.name, META(_default.people).id FROM people")
                == [["Ada", "p"]]
        )
        for sql in [
            "SELECT _default.n, META(_default).id FROM _",
            "SELECT _default._default.n, META(_default._default).id FROM _",
            "SELECT _.n, META(_).id FROM _default",
        ] {
            #expect(try rows(sql) == [["1", "d"]], "\(sql)")
        }
    }

    // MARK: Counts and collations

    @Test func `COUNT does not count joined rows that have no match`() throws {
        try shop.makers.save(document: MutableDocument(id: "m3", data: ["name": "Idle"]))
        let from =
            "FROM shop.makers AS m LEFT JOIN shop.chairs AS c ON c.maker = META(m).id"
            + " GROUP BY META(m).id ORDER BY META(m).id"
        #expect(
            try rows("SELECT META(m).id, COUNT(*), COUNT(m.*), COUNT(c.*) \(from)")
                == [["m1", "2", "2", "2"], ["m2", "2", "2", "2"], ["m3", "1", "1", "0"]]
        )
        #expect(try rows("SELECT COUNT(c.*), COUNT(*) FROM shop.chairs AS c") == [["4", "4"]])
    }

    private func saveLetters() throws {
        for (id, text) in [("l1", "b"), ("l2", "A"), ("l3", "a"), ("l4", "B"), ("l5", "C")] {
            try shop.makers.save(document: MutableDocument(id: id, data: ["s": text]))
        }
    }

    @Test func `MIN and MAX use the collation of their argument`() throws {
        try saveLetters()
        let plain = "SELECT MIN(s), MAX(s) FROM shop.makers"
        #expect(try rows(plain) == [["A", "b"]])
        let folded = "SELECT MAX(s COLLATE NOCASE) FROM shop.makers"
        #expect(try rows(folded) == [["C"]])
        let s = Expression.property("s").collate(Collation.ascii().ignoreCase(true))
        let built = QueryBuilder.select(SelectResult.expression(Function.max(s)))
            .from(DataSource.collection(shop.makers))
        #expect(try rows(built) == [["C"]])
    }

    @Test func `an alias and DISTINCT use the collation of the column`() throws {
        try saveLetters()
        let from = "FROM shop.makers WHERE s IS VALUED"
        #expect(try rows("SELECT DISTINCT s COLLATE NOCASE \(from)").count == 3)
        #expect(try rows("SELECT DISTINCT LOWER(s) || s COLLATE NOCASE \(from)").count == 3)
        #expect(
            try rows("SELECT DISTINCT s COLLATE NOCASE AS x \(from) ORDER BY x DESC").map {
                $0[0].lowercased()
            } == ["c", "b", "a"]
        )
        #expect(
            try rows("SELECT s COLLATE NOCASE AS x \(from) ORDER BY x, META().id")
                == [["A"], ["a"], ["b"], ["B"], ["C"]]
        )
        #expect(
            try rows("SELECT s COLLATE NOCASE AS x, COUNT(*) \(from) GROUP BY x ORDER BY x").map {
                $0[1]
            } == ["2", "2", "1"]
        )
        #expect(
            try rows("SELECT s COLLATE NOCASE AS x, 1 FROM shop.makers WHERE x = 'a'").count == 2
        )
    }

    @Test func `without a language, Unicode collation uses the root order on every system`() throws
    {
        for (id, name) in [("z", "Zug"), ("å", "Ål"), ("b", "Bo")] {
            try shop.makers.save(document: MutableDocument(id: id, data: ["town": name]))
        }
        let town = Expression.property("town")
        for (collation, order) in [
            (Collation.unicode(), ["Ål", "Bo", "Zug"]),
            (Collation.unicode().locale(nil), ["Ål", "Bo", "Zug"]),
            (Collation.unicode().locale("sv"), ["Bo", "Zug", "Ål"]),
        ] {
            let query = QueryBuilder.select(SelectResult.expression(town))
                .from(DataSource.collection(shop.makers)).where(town.isValued())
                .orderBy(Ordering.expression(town.collate(collation)))
            #expect(try rows(query) == order.map { [$0] })
        }
    }

    @Test func `DISTINCT treats true and 1 as equal, in groups too`() throws {
        for (id, data) in [
            ("v1", ["v": true, "k": "a"]), ("v2", ["v": 1, "k": "b"]), ("v3", ["v": 2, "k": "c"]),
            ("v4", ["v": 2, "k": "c"]),
        ] as [(String, [String: Any])] {
            try shop.makers.save(document: MutableDocument(id: id, data: data))
        }
        let from = "FROM shop.makers WHERE k IS VALUED"
        #expect(try rows("SELECT DISTINCT v \(from) GROUP BY v, k ORDER BY v") == [["1"], ["2"]])
        #expect(
            try rows("SELECT DISTINCT v \(from) GROUP BY v, k ORDER BY v DESC LIMIT 1") == [["2"]]
        )
        #expect(
            try rows("SELECT DISTINCT v, COUNT(*) AS n \(from) GROUP BY v, k HAVING n < 2")
                == [["1", "1"]]
        )
        #expect(
            try rows(
                "SELECT name FROM shop.chairs WHERE seats = 3 AND EXISTS"
                    + " (SELECT DISTINCT v FROM shop.makers GROUP BY v, k)"
            ) == [["Porto"]]
        )
    }

    // MARK: Refusals

    private func nested(_ count: Int, _ start: String, _ inner: String, _ end: String) -> String {
        String(repeating: start, count: count) + inner + String(repeating: end, count: count)
    }

    @Test func `a query that SQLite would refuse is rejected when created, with its position`()
        throws
    {
        let any = nested(20, "ANY v IN tags SATISFIES ", "TRUE", " END")
        for sql in [
            "SELECT \(nested(60, "LOWER(", "MAX(name)", ")")) FROM shop.chairs",
            "SELECT name FROM shop.chairs WHERE \(any)",
            "SELECT name FROM shop.chairs ORDER BY COUNT(*)",
            "SELECT ANY v IN tags SATISFIES v > MAX(name) END FROM shop.chairs",
        ] {
            do {
                _ = try shop.database.createQuery(sql)
                Issue.record("taken: \(sql)")
            } catch let error as NSError {
                #expect(error.domain == CBLError.domain && error.code == CBLError.invalidQuery)
                #expect(error.localizedDescription.hasPrefix("line 1, column "), "\(error)")
            }
        }
        let deep = "SELECT \(nested(60, "LOWER(", "name", ")")) FROM shop.chairs ORDER BY name"
        #expect(try rows(deep).first == ["bern"])
    }

    @Test func `an error in a function at run time has SQLite's error code`() throws {
        let config = FullTextIndexConfiguration(["name"])
        try shop.chairs.createIndex(withName: "words", config: config)
        for (sql, part) in [
            ("SELECT name FROM shop.chairs WHERE MATCH(words, '\"unclosed')", "quotation mark"),
            ("SELECT TRIM(name, 'x') FROM shop.chairs", "TRIM"),
            ("SELECT REGEXP_LIKE(name, '(') FROM shop.chairs", "("),
        ] {
            let query = try shop.database.createQuery(sql)
            do {
                _ = try query.execute().allResults()
                Issue.record("answered: \(sql)")
            } catch let error as NSError {
                #expect(error.domain == "CouchbaseLite.SQLite" && error.code == 1, "\(error)")
                let text = error.localizedDescription
                #expect(text.uppercased().contains(part.uppercased()), "\(text)")
            }
        }
    }

    // MARK: Indexes

    @Test(arguments: [
        ("name || '-x'", "= 'Oslo-x'", 1), ("price * 1.5", "> 200", 1),
        ("IFNULL(name, 'it''s')", "IN ('Bern', 'Oslo')", 2), ("{'k': name}.k", "= 'Oslo'", 1),
        ("CASE WHEN seats = 1 THEN 'one' ELSE 'more' END", "= 'more'", 1),
        ("REGEXP_REPLACE(name, '(o)', '\"$1\"')", "LIKE 'B%'", 1),
    ])
    func `an index on an expression with a literal is used`(
        expression: String,
        comparison: String,
        count: Int
    ) throws {
        let sql = "SELECT META().id FROM shop.chairs WHERE \(expression) \(comparison)"
        let scanned = Set(try rows(sql))
        #expect(scanned.count == count)
        try shop.chairs.createIndex(withName: "i", config: ValueIndexConfiguration([expression]))
        let query = try shop.database.createQuery(sql)
        let plan = try query.explain()
        #expect(plan.contains("USING INDEX i"), "\(plan)")
        #expect(Set(try rows(query)) == scanned)
        let sorted = "SELECT \(expression), COUNT(*) FROM shop.chairs GROUP BY \(expression)"
        #expect(try rows(sorted).isEmpty == false)
    }

    @Test func `an index on an expression with a literal is used in a join`() throws {
        let sql =
            "SELECT META(c).id FROM shop.makers AS m JOIN shop.chairs AS c"
            + " ON c.name || '-x' = 'Oslo-x' AND c.maker = META(m).id WHERE 'q' || m.name <> $no"
        let query = try shop.database.createQuery(sql)
        query.parameters = Parameters().setString("x", forName: "no")
        #expect(try rows(query) == [["c1"]])
        let config = ValueIndexConfiguration(["name || '-x'"], where: "seats = 1")
        try shop.chairs.createIndex(withName: "i", config: config)
        let whole = ValueIndexConfiguration(["name || '-x'"])
        try shop.chairs.createIndex(withName: "n", config: whole)
        let plan = try query.explain()
        #expect(plan.contains("AS s1 USING INDEX n (<expr>=?)"), "\(plan)")
        #expect(try rows(query) == [["c1"]])
    }
}
