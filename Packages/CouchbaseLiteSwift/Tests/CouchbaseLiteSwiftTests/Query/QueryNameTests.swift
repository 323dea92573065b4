import CouchbaseLiteSwift
import Foundation
import Testing

/// Names and values that look like part of a query stay names and values in every layer.
@Suite struct QueryNameTests {
    /// Reserved words, quotes, separators, Unicode, and injections into SQL, SQL++ or JSON.
    static let names = [
        "select", "FROM", "end", "it's", #"say "hi""#, "a`b", "a.b", "a[0]", #"a\b"#, "$x", "*",
        "ä", "e\u{301}", "\u{E9}", "名前", "👩‍👩‍👧", " ", "a\nb", "a;b", "-- a", "/* a */", "%s%n",
        "'; DROP TABLE docs_1; --", "x' OR '1'='1", "\") UNION SELECT body FROM docs_1 --",
        "\u{1}", "?1", ":a", "@a", "{\"a\":1}", "[\"a\"]", String(repeating: "x", count: 300),
    ]

    let shop: Chairs

    init() throws { shop = try Chairs() }

    private func quoted(_ name: String) -> String {
        "`" + name.replacing("`", with: "``") + "`"
    }

    private func literal(_ text: String) -> String {
        "'" + text.replacing("'", with: "''") + "'"
    }

    /// The path of one property for the query builder.
    private func path(_ name: String) -> String {
        name.reduce(into: "") { path, character in
            if ".[$\\".contains(character) { path += "\\" }
            path.append(character)
        }
    }

    private func ids(_ query: any Query) throws -> [String?] {
        try query.execute().map { $0.string(forKey: "id") }
    }

    private func query(_ sql: String) throws -> any Query { try shop.database.createQuery(sql) }

    @Test(arguments: names) func `a property can have any name`(_ name: String) throws {
        try shop.save("odd", [name: 7, "other": 1])
        let property = quoted(name)
        let text = "SELECT META().id, \(property) AS v FROM shop.chairs WHERE \(property) = 7"
        #expect(try ids(query(text)) == ["odd"])
        let built = QueryBuilder.select(SelectResult.expression(Meta.id))
            .from(DataSource.collection(shop.chairs))
            .where(Expression.property(path(name)).equalTo(Expression.int(7)))
            .orderBy(Ordering.property(path(name)))
        #expect(try ids(built) == ["odd"])
        // The printed text parses as the same query.
        #expect(try ids(query(built.description)) == ["odd"])
        let row = try query("SELECT \(property) FROM shop.chairs WHERE \(property) IS VALUED")
            .execute().next()
        #expect(row?.keys == [name] && row?.int(forKey: name) == 7)
    }

    @Test(arguments: names) func `an alias can be any name`(_ name: String) throws {
        let alias = quoted(name)
        let rows = try query(
            "SELECT name AS \(alias) FROM shop.chairs ORDER BY \(alias) LIMIT 1"
        ).execute().allResults()
        #expect(rows.map(\.keys) == [[name]] && rows.first?.string(at: 0) == "Bern")
        let source = try query(
            "SELECT \(alias).name AS id FROM shop.chairs AS \(alias) WHERE \(alias).seats = 3"
        )
        #expect(try ids(source) == ["Porto"])
        let built = QueryBuilder.select(
            SelectResult.expression(Expression.property("name").from(name)).as("town")
        )
        .from(DataSource.collection(shop.chairs).as(name))
        .where(Expression.property("seats").from(name).equalTo(Expression.int(3)))
        #expect(try built.execute().next()?.string(forKey: "town") == "Porto")
    }

    @Test(arguments: names) func `an index can have any name`(_ name: String) throws {
        let chairs = shop.chairs
        try chairs.createIndex(withName: name, config: ValueIndexConfiguration(["price"]))
        #expect(try chairs.indexes() == [name])
        #expect(try chairs.index(withName: name)?.name == name)
        let cheap = try query("SELECT name AS id FROM shop.chairs WHERE price < 100")
        #expect(try cheap.explain().contains("USING INDEX"))
        #expect(try ids(cheap) == ["Turin"])
        try chairs.deleteIndex(forName: name)
        try chairs.createIndex(withName: name, config: FullTextIndexConfiguration(["name"]))
        let found = try query(
            "SELECT name AS id FROM shop.chairs WHERE MATCH(\(quoted(name)), 'porto')"
        )
        #expect(try ids(found) == ["Porto"])
        try chairs.deleteIndex(forName: name)
        #expect(try chairs.indexes().isEmpty)
    }

    @Test(arguments: names) func `any string can be used as a value anywhere in a query`(
        _ text: String
    ) throws {
        try shop.save("odd", ["label": text, "tags": [text]])
        let conditions = [
            "label = $text", "label = \(literal(text))", "label IN ($text)", "label LIKE $pattern",
            "ANY t IN tags SATISFIES t = $text END", "label BETWEEN $text AND \(literal(text))",
            "CONTAINS(label, $text)", "CASE label WHEN \(literal(text)) THEN TRUE END",
            "{'\(text.replacing("'", with: "''"))': label}.\(quoted(text)) = $text",
        ]
        for condition in conditions {
            let query = try query("SELECT META().id FROM shop.chairs WHERE \(condition)")
            let pattern = text.replacing(#"\"#, with: #"\\"#).replacing("%", with: #"\%"#)
            let parameters = Parameters()
            if condition.contains("$text") { parameters.setString(text, forName: "text") }
            if condition.contains("$pattern") { parameters.setString(pattern, forName: "pattern") }
            query.parameters = parameters
            #expect(try ids(query) == ["odd"], "\(condition)")
        }
        let built = QueryBuilder.select(SelectResult.expression(Meta.id))
            .from(DataSource.collection(shop.chairs))
            .where(Expression.property("label").equalTo(Expression.string(text)))
        #expect(try ids(built) == ["odd"])
    }

    /// Anything that a user may type into a search field.
    @Test func `any text in a full-text search is either matched or an error`() throws {
        try shop.chairs.createIndex(
            withName: "words",
            config: FullTextIndexConfiguration(["name"])
        )
        let query = try query("SELECT name AS id FROM shop.chairs WHERE MATCH(words, $q)")
        for text in Self.names + ["\"", "(", "name:", "a NEAR/99999999999 b", "^", "OR", "* *"] {
            query.parameters = Parameters().setString(text, forName: "q")
            _ = try? query.execute().allResults()
        }
        query.parameters = Parameters().setString("porto", forName: "q")
        #expect(try ids(query) == ["Porto"])
        try shop.database.performMaintenance(type: .integrityCheck)
        #expect(shop.chairs.count == 4)
    }

    @Test(arguments: [
        "SELECT name FROM shop.``", "SELECT $ FROM shop.chairs", "SELECT name FROM `shop.chairs`",
        "SELECT name FROM shop.`x'; DROP TABLE docs_1`",
        "SELECT name FROM shop.chairs WHERE name COLLATE UNICODE:de' = 'x'",
        "SELECT name FROM shop.chairs WHERE MATCH(``, 'x')", "SELECT META().`id'` FROM shop.chairs",
    ])
    func `an invalid name is rejected with an error message`(_ sql: String) throws {
        do {
            _ = try query(sql).execute()
            Issue.record("taken: \(sql)")
        } catch let error as NSError {
            #expect(error.domain == CBLError.domain && error.localizedDescription.count > 15)
        }
    }

    @Test func `an index without a name is refused`() throws {
        expect(CBLError.invalidParameter) {
            try shop.chairs.createIndex(withName: "", config: ValueIndexConfiguration(["price"]))
        }
        #expect(try shop.chairs.indexes().isEmpty)
    }

    @Test func `an index on properties that no document has is harmless`() throws {
        let chairs = shop.chairs
        try chairs.createIndex(withName: "v", config: ValueIndexConfiguration(["no.thing"]))
        try chairs.createIndex(withName: "a", config: ArrayIndexConfiguration(path: "nothing"))
        try chairs.createIndex(withName: "f", config: FullTextIndexConfiguration(["nothing"]))
        let conditions = ["no.thing = 1", "MATCH(f, 'x')", "ANY t IN nothing SATISFIES t = 1 END"]
        for condition in conditions {
            #expect(try ids(query("SELECT name AS id FROM shop.chairs WHERE \(condition)")) == [])
        }
        let missing = try query("SELECT name AS id FROM shop.chairs WHERE no.thing IS MISSING")
        #expect(try ids(missing).count == 4)
        try shop.save("late", ["name": "Late", "nothing": ["x"], "no": ["thing": 1]])
        #expect(try ids(query("SELECT name AS id FROM shop.chairs WHERE no.thing = 1")) == ["Late"])
    }

    @Test func `a parameter of an unsupported type is a fatal error`() async {
        await #expect(processExitsWith: .failure) {
            Parameters().setValue(NSObject(), forName: "x")
        }
    }

    @Test func `an expression built ten thousand levels deep either runs or throws`() throws {
        let one = Expression.int(1)
        let steps: [(any ExpressionProtocol) -> any ExpressionProtocol] = [
            { Expression.not($0) }, { $0.add(one) }, { one.subtract($0) }, { $0.and(one) },
            { one.or($0) }, { Function.abs($0) }, { $0.collate(Collation.ascii()) },
            { Expression.array([$0]) }, { $0.equalTo(one) }, { one.in([$0]) },
            { Expression.property("a").between(one, and: $0) },
            { ArrayExpression.any(ArrayExpression.variable("x")).in($0).satisfies(one) },
        ]
        for step in steps {
            var expression: any ExpressionProtocol = Expression.property("price")
            for _ in 0..<10_000 { expression = step(expression) }
            let query = QueryBuilder.select(SelectResult.expression(Meta.id))
                .from(DataSource.collection(shop.chairs)).where(expression)
            do {
                #expect(try query.execute().allResults().count <= 4)
            } catch let error as NSError {
                #expect(error.code == CBLError.invalidQuery)
            }
        }
    }
}
