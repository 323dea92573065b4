import CouchbaseLiteSwift
import DivanTestKit
import Foundation
import Testing

/// Queries whose SQL has an unusual shape: many bindings, nested conditions, aliases.
@Suite struct QueryShapeTests {
    let shop: Chairs

    init() throws { shop = try Chairs() }

    private func rows(_ sql: String, _ parameters: [String: Any] = [:]) throws -> [String] {
        let query = try shop.database.createQuery(sql)
        let given = Parameters()
        for (name, value) in parameters { given.setValue(value, forName: name) }
        query.parameters = given
        return try query.execute().map { $0.string(at: 0) ?? "-" }
    }

    /// Parameters in `LIMIT`, `HAVING` and `ORDER BY` are bound before those in `WHERE`.
    @Test(arguments: [1, 99, 100, 101, 300])
    func `parameters keep their values next to any number of string literals`(count: Int) throws {
        let names = ["'Oslo'", "'Bern'", "'Turin'"] + (0..<count).map { "'no \($0)'" }
        let condition = "WHERE name IN (\(names.joined(separator: ", ")))"
        let from = "FROM shop.chairs AS c \(condition)"
        #expect(
            try rows("SELECT name \(from) ORDER BY name LIMIT $n OFFSET $o", ["n": 2, "o": 1])
                == ["Oslo", "Turin"]
        )
        let groups = "SELECT maker \(from) GROUP BY maker HAVING COUNT(*) > $least"
        #expect(try rows(groups, ["least": 1]) == ["m1"])
        let order = "SELECT name \(from) ORDER BY name || 'x' || $tail, price * 1.5"
        #expect(try rows(order, ["tail": "z"]) == ["Bern", "Oslo", "Turin"])
    }

    @Test func `ANY AND EVERY requires one item and all items to match, also when nested`() throws {
        try shop.save("c5", ["name": "Ulm", "tags": [[1, 2], [3]], "none": []])
        let condition = "ANY AND EVERY t IN tags SATISFIES t LIKE 'l%' END"
        #expect(try rows("SELECT name FROM shop.chairs WHERE \(condition)") == ["Bern"])
        let empty = "ANY AND EVERY t IN none SATISFIES TRUE END"
        #expect(try rows("SELECT name FROM shop.chairs WHERE \(empty)") == [])
        let missing = "ANY AND EVERY t IN tags SATISFIES t.nothing > 1 END"
        #expect(
            try rows("SELECT name FROM shop.chairs WHERE \(missing) ORDER BY name")
                == ["Bern", "Oslo", "Ulm"]
        )
        // Depends on the row only, not on the item.
        let outside = "ANY AND EVERY t IN tags SATISFIES price > 200 END"
        #expect(
            try rows("SELECT name FROM shop.chairs WHERE \(outside) ORDER BY name") == [
                "Bern", "Ulm",
            ]
        )
        let inside =
            "ANY AND EVERY t IN tags SATISFIES ANY AND EVERY u IN t SATISFIES u < 4 END END"
        #expect(try rows("SELECT name FROM shop.chairs WHERE \(inside)") == ["Ulm"])
        #expect(
            try rows("SELECT COUNT(*) FROM shop.chairs WHERE \(outside) AND \(condition)") == ["-"]
        )
    }

    /// The text of the collection was written twice at each level.
    @Test func `nested ANY AND EVERY conditions do not grow exponentially`() throws {
        var items = "tags"
        for _ in 0..<40 { items = "ANY AND EVERY a IN \(items) SATISFIES TRUE END" }
        #expect(try rows("SELECT name FROM shop.chairs WHERE \(items)").count == 4)
    }

    @Test func `a query that repeats a long alias too often is rejected`() throws {
        let list = (0..<60_000).map(String.init).joined(separator: ",")
        let uses = [String](repeating: "a = 1", count: 3_000).joined(separator: " OR ")
        let sql = "SELECT price IN (\(list)) AS a FROM shop.chairs WHERE \(uses)"
        expect(CBLError.invalidQuery) { _ = try shop.database.createQuery(sql).execute() }
    }

    @Test func `an array index does not change the result of a condition`() throws {
        let queries = [
            "ANY t IN tags SATISFIES LENGTH(t) > seats + 4 END",
            "ANY t IN tags SATISFIES t = 'wood' AND maker = 'm1' END",
            "ANY t IN tags SATISFIES ANY u IN tags SATISFIES u || t = 'lightwood' END END",
            "ANY t IN tags SATISFIES t LIKE 'l%' END",
        ].map { "SELECT name FROM shop.chairs WHERE \($0) ORDER BY name" }
        let before = try queries.map { try rows($0) }
        #expect(before == [["Bern"], ["Oslo"], ["Oslo"], ["Bern", "Oslo"]])
        let index = ArrayIndexConfiguration(path: "tags")
        try shop.chairs.createIndex(withName: "tags", config: index)
        #expect(try queries.map { try rows($0) } == before)
        // Only a condition that depends on the items alone is looked up in the index.
        #expect(try shop.database.createQuery(queries[0]).explain().contains("EXISTS"))
        #expect(!(try shop.database.createQuery(queries[3]).explain().contains("EXISTS")))
    }

    @Test func `RANK works with DISTINCT and GROUP BY`() throws {
        try shop.chairs.createIndex(withName: "words", config: FullTextIndexConfiguration(["name"]))
        for (id, name) in [("a", "red chair"), ("b", "chair chair"), ("c", "red chair")] {
            try shop.save(id, ["name": name])
        }
        let from = "FROM shop.chairs WHERE MATCH(words, 'chair')"
        let distinct = "SELECT DISTINCT name \(from) ORDER BY RANK(words) DESC"
        #expect(try rows(distinct) == ["chair chair", "red chair"])
        #expect(try rows("SELECT DISTINCT name, RANK(words) \(from)").count == 2)
        let grouped = "SELECT name \(from) GROUP BY name ORDER BY MAX(RANK(words))"
        #expect(try rows(grouped) == ["red chair", "chair chair"])
        // Without groups SQLite would not know to which row the rank belongs.
        for calculation in [
            "MAX(RANK(words))", "2 * AVG(RANK(words))", "MIN(RANK(words)) + COUNT(*)",
        ] {
            let sql = "SELECT \(calculation) AS best \(from)"
            #expect(try shop.database.createQuery(sql).execute().allResults()[0].double(at: 0) > 0)
        }
    }

    @Test func `a full-text search counts documents by any value that each has`() throws {
        try shop.chairs.createIndex(withName: "words", config: FullTextIndexConfiguration(["name"]))
        for (id, name) in [("a", "red chair"), ("b", "table"), ("c", "red chair")] {
            try shop.save(id, ["name": name])
        }
        for operand in ["*", "1", "META().id", "META().sequence", "META().revisionID", "name"] {
            let sql = "SELECT COUNT(\(operand)) FROM shop.chairs WHERE MATCH(words, 'chair')"
            let result = try shop.database.createQuery(sql).execute().allResults()
            #expect(result[0].int(at: 0) == 2, "\(operand)")
        }
    }

    @Test func `the words of a full-text search can come from documents`() throws {
        try shop.chairs.createIndex(withName: "words", config: FullTextIndexConfiguration(["name"]))
        let names = ["Bern", "Oslo", "Porto", "Turin"]
        let from = "FROM shop.chairs WHERE MATCH(words, name)"
        #expect(try rows("SELECT TOSTRING(COUNT(*)) \(from)") == ["4"])
        let best = "SELECT name \(from) ORDER BY RANK(words) LIMIT 5"
        #expect(try rows(best).sorted() == names)
        let alias =
            "SELECT name AS n FROM shop.chairs WHERE MATCH(words, n) ORDER BY RANK(words) LIMIT 5"
        #expect(try rows(alias).sorted() == names)
        let joined =
            "SELECT a.name FROM shop.chairs a JOIN shop.chairs b ON a.maker = b.maker"
            + " WHERE MATCH(b.words, a.name)"
        #expect(try rows(joined).sorted() == names)
    }

    @Test func `2000 columns are supported, and too many columns are rejected`() async throws {
        func columns(_ count: Int) -> String {
            (["name"] + (1..<count).map { "p\($0)" }).joined(separator: ", ")
        }
        #expect(try rows("SELECT DISTINCT \(columns(1_999)) FROM shop.chairs").count == 4)
        expect(CBLError.invalidQuery) {
            _ = try rows("SELECT DISTINCT \(columns(2_000)) FROM shop.chairs")
        }
        let sql = "SELECT \(columns(2_000)) FROM shop.chairs WHERE seats = 3 ORDER BY name LIMIT 9"
        var changes = try shop.database.createQuery(sql).changes().makeAsyncIterator()
        #expect(try await changes.next()?.results?.map { $0.string(at: 0) } == ["Porto"])
    }

    @Test func `strings in arrays are compared as strings, whatever the collation`() throws {
        try shop.save("c6", ["name": "Path", "paths": [#"C:\TEMP"#, "a\"b", "line\nbreak"]])
        for item in [#"c:\temp"#, "A\"B", "LINE\nBREAK"] {
            #expect(
                try rows(
                    "SELECT name FROM shop.chairs WHERE ($item IN paths) COLLATE NOCASE",
                    ["item": item]
                ) == ["Path"]
            )
        }
    }

    @Test(arguments: [
        "SELECT META().id AS i FROM shop.numbers WHERE i = 5", "META().id = 5", "META().id IN (5)",
        "SELECT META().id AS i FROM shop.numbers WHERE i IN (5)", "META().sequence = '1'",
        "SELECT META().sequence AS s FROM shop.numbers WHERE s = '1'",
        "5 BETWEEN META().id AND 'z'", "CASE META().id WHEN 5 THEN TRUE ELSE FALSE END",
        "CASE 5 WHEN META().id THEN TRUE ELSE FALSE END", "META().id < 9", "9 > META().id",
    ])
    func `a number never equals a document ID with the same digits`(condition: String) throws {
        let numbers = try shop.database.createCollection(name: "numbers", scope: "shop")
        try numbers.save(document: MutableDocument(id: "5", data: ["n": 1]))
        let isWhole = condition.hasPrefix("SELECT")
        let sql = isWhole ? condition : "SELECT 1 FROM shop.numbers WHERE \(condition)"
        #expect(try rows(sql) == [])
    }

    @Test func `an array index beyond the end of every array is MISSING`() throws {
        let path = "tags[9223372036854775807]"
        let sql = "SELECT name FROM shop.chairs WHERE \(path) IS MISSING"
        #expect(try rows(sql).count == 4)
        try shop.chairs.createIndex(withName: "far", config: ValueIndexConfiguration([path]))
        try shop.save("c7", ["name": "Late", "tags": ["a"]])
        #expect(try rows(sql).count == 5)
    }

    @Test func `HAVING without GROUP BY is rejected`() throws {
        expect(CBLError.invalidQuery) {
            let query = QueryBuilder.select(
                SelectResult.expression(Function.count(Expression.int(1)))
            )
            .from(DataSource.collection(shop.chairs))
            .groupBy([])
            .having(Function.count(Expression.int(1)).greaterThan(Expression.int(100)))
            _ = try query.execute()
        }
    }

    @Test func `a live query notices a change in Unicode normalization`() async throws {
        let query = try shop.database.createQuery("SELECT name FROM shop.chairs WHERE seats = 3")
        let (told, stream) = AsyncStream<[String]>.makeStream()
        let token = query.addChangeListener { change in
            stream.yield(change.results?.map { $0.string(at: 0) ?? "-" } ?? [])
        }
        defer { token.remove() }
        var iterator = told.makeAsyncIterator()
        #expect(await iterator.next() == ["Porto"])
        try shop.save("c4", ["name": "\u{e9}", "seats": 3])
        #expect(await iterator.next()?.first?.unicodeScalars.count == 1)
        try shop.save("c4", ["name": "e\u{301}", "seats": 3])
        #expect(await iterator.next()?.first?.unicodeScalars.count == 2)
    }
}
