import DivanDatabase
import DivanJSON
import DivanQuery
import DivanRevisions
import DivanTestKit
import Testing

/// Which index a query uses, and what its plan says of that.
@Suite("Query plans")
struct QueryPlanTests {
    private let room: StoreFixture

    init() throws {
        room = try StoreFixture(.file)
        try room.store.createCollection(try #require(CollectionPath("shop.chairs")))
        for number in 0..<60 {
            let kind = number % 7 == 0 ? "null" : number % 5 == 0 ? "true" : "\"k\(number % 4)\""
            let body = #"{"kind":\#(kind),"n":\#(number % 3),"tags":["t\#(number % 2)"]}"#
            try room.save(DocumentID(unchecked: "d\(number)"), body)
        }
        try room.save("d59", "{}", isTombstone: true)
    }

    private func query(_ sql: String) throws -> StorageQuery {
        let catalogue = StoreCatalogue(room.store, named: "room")
        return StorageQuery(try QueryStatement(sql: sql).checked(against: catalogue, text: sql))
    }

    private func rows(_ sql: String) throws -> [[QueryValue]] {
        let rows = try room.store.rows(of: query(sql))
        var found: [[QueryValue]] = []
        while let row = try rows.next() { found.append(row) }
        return found
    }

    private func index(
        _ name: ExactText,
        _ expressions: String...,
        where condition: String? = nil
    )
        throws
    {
        let keys = try expressions.map { text in
            try QueryExpression(sql: text).checkedKey(over: .standard)
        }
        let filter = try condition.map { try QueryExpression(sql: $0).checked(over: .standard) }
        try room.store.write {
            try $0.createIndex(name, .value(keys, filter: filter), in: .default)
        }
    }

    private func plan(_ sql: String) throws -> [String] {
        try room.store.plan(of: query(sql)).steps.map(\.text)
    }

    @Test(
        arguments: [
            "STR_TO_MILLIS(day)", "STR_TO_UTC(day)", "STR_TO_TZ(day, 60)",
            "LENGTH(MILLIS_TO_STR(n))",
            "NOT (kind = 'k1' COLLATE UNICODE)", "NOT (kind LIKE 'k%' COLLATE (UNICODE NOCASE))",
        ]
    )
    func `expressions that depend on more than the document cannot be indexed`(
        expression: String
    ) throws {
        #expect(throws: QueryError.self) { try index("by", expression) }
        #expect(throws: QueryError.self) {
            try index("some", "n", where: "\(expression) IS VALUED")
        }
        try index("fixed", "DATE_ADD_STR(day, 1, 'day')", "MILLIS_TO_UTC(n)")
    }

    /// Everything that belongs to a document: the property that is compared with its ID has an index.
    @Test(
        "A join on a document ID uses an index on the property that holds the ID",
        arguments: [
            "SELECT META(d).id FROM _ AS p JOIN _ AS d ON d.parent = META(p).id WHERE META(p).id = 'd7'",
            "SELECT META(d).id FROM _ AS p CROSS JOIN _ AS d WHERE META(p).id = d.parent AND META(p).id = 'd7'",
            "SELECT META(d).id FROM _ AS p LEFT JOIN _ AS d ON META(p).id = d.parent AND d.n > 0 WHERE META(p).id IN ['d7', '5']",
            "SELECT META(d).id FROM _ AS p JOIN _ AS d ON NOT (d.parent != META(p).id) WHERE META(p).id = 'd7'",
        ]
    )
    func ties(sql: String) throws {
        for number in 0..<30 {
            let parent = number % 10 == 0 ? "5" : number % 9 == 0 ? "null" : "\"d\(number % 8)\""
            try room.save(
                DocumentID(unchecked: "e\(number)"),
                #"{"parent":\#(parent),"n":\#(number % 3)}"#
            )
        }
        try room.save("5", "{}")
        let scanned = Set(try rows(sql))
        #expect(!scanned.isEmpty)
        try index("byParent", "parent")
        #expect(Set(try rows(sql)) == scanned)
        guard !sql.contains("NOT") else { return }
        let steps = try plan(sql)
        #expect(steps.contains { $0.contains("USING INDEX byParent") }, "\(steps)")
    }

    @Test(
        "GROUP BY and DISTINCT use a matching index and return the same rows as a scan",
        arguments: [
            "SELECT kind, COUNT(*) FROM _ GROUP BY kind ORDER BY kind",
            "SELECT COUNT(*), kind FROM _ GROUP BY kind HAVING COUNT(*) > 5 ORDER BY COUNT(*), kind",
            "SELECT DISTINCT kind FROM _", "SELECT DISTINCT kind FROM _ ORDER BY kind DESC",
            "SELECT DISTINCT n, kind FROM _ ORDER BY kind, n",
            "SELECT kind || '!' AS k FROM _ GROUP BY kind ORDER BY kind LIMIT 3",
            "SELECT kind, COUNT(*) FROM _ WHERE kind >= 'k1' GROUP BY kind ORDER BY kind",
            "SELECT kind AS k, COUNT(*) AS c FROM _ WHERE k < 'k3' GROUP BY k ORDER BY c DESC, k",
            "SELECT n, kind, COUNT(*) FROM _ WHERE kind > 'k0' GROUP BY kind, n ORDER BY kind, n",
        ]
    )
    func groups(sql: String) throws {
        let scanned = try rows(sql)
        #expect(try plan(sql).contains { $0.hasPrefix("SCAN _default AS s0") })
        try index("byKind", "kind", "n")
        #expect(try rows(sql) == scanned)
        let steps = try plan(sql)
        #expect(steps.contains { $0.contains("AS s0 USING") && $0.contains("INDEX byKind") })
        #expect(steps.allSatisfy { $0 != "USE TEMP B-TREE FOR GROUP BY" }, "\(steps)")
        #expect(try room.store.plan(of: query(sql)).indexes == ["byKind"])
    }

    @Test(
        "GROUP BY does not use an index that requires reading each document",
        arguments: [
            "SELECT kind, SUM(n) FROM _ GROUP BY kind", "SELECT n, COUNT(*) FROM _ GROUP BY n",
            "SELECT kind, COUNT(tags) FROM _ GROUP BY kind",
            "SELECT kind, COUNT(*) FROM _ WHERE n > 1 GROUP BY kind",
            "SELECT DISTINCT kind, tags FROM _",
        ]
    )
    func otherGroups(sql: String) throws {
        try index("byKind", "kind", "n")
        try index("some", "n", where: "kind = 'k1'")
        #expect(try room.store.plan(of: query(sql)).indexes == [])
    }

    @Test("A plan shows the names of collections and indexes, escaped and on one line")
    func names() throws {
        try index("by kind \u{1B}[31m\"", "kind")
        let items = CheckedKey(.property(source: 1, QueryPath()))
        try room.store.write {
            try $0.createIndex("byTag", .array(["tags"], [items]), in: .default)
        }
        let plan = try room.store.plan(of: query("SELECT n FROM _ WHERE kind = 'k1'"))
        #expect(
            plan.steps.map(\.text)
                == [#"SEARCH _default AS s0 USING INDEX "by kind \u{1b}[31m\u{22}" (<expr>=?)"#]
        )
        #expect(plan.sql.contains("FROM _default AS s0"))
        #expect(plan.indexes == ["by kind \u{1B}[31m\""])
        let tags = try room.store.plan(
            of: query("SELECT d.n FROM _ AS d UNNEST d.tags AS t WHERE t = 't1'")
        )
        #expect(tags.indexes == ["byTag"])
        #expect(tags.sql.contains(#""items of tags" AS s1"#), "\(tags.sql)")
        #expect(tags.steps.contains { $0.text.hasPrefix("SEARCH s0.tags AS s1 USING") }, "\(tags)")
        let joined = try self.plan(
            "SELECT c.a FROM shop.chairs AS c JOIN _ AS d ON META(d).id = c.d"
        )
        #expect(joined.contains("SCAN shop.chairs AS s0"), "\(joined)")
        #expect(joined.contains { $0.hasPrefix("SEARCH _default AS s1 USING INDEX META().id") })
    }

    @Test("A hypothetical index appears in the plan but not in the database")
    func supposed() throws {
        let sql = "SELECT tags FROM _ WHERE kind = 'k1' AND n > 1"
        func supposed(_ name: ExactText, _ keys: String...) throws -> HypotheticalIndex {
            let keys = try keys.map { try QueryExpression(sql: $0).checkedKey(over: .standard) }
            return HypotheticalIndex(name, .value(keys, filter: nil), in: .default)
        }
        let candidates = [try supposed("x", "tags"), try supposed("y", "kind", "n")]
        #expect(try room.store.plan(of: query(sql), supposing: candidates).indexes == ["y"])
        #expect(try room.store.plan(of: query(sql)).indexes == [])
        #expect(try room.store.read { try $0.indexes(in: .default) } == [])
        // One that begins like an existing index is not missing.
        try index("there", "kind", "n", "tags")
        #expect(try room.store.plan(of: query(sql), supposing: candidates).indexes == ["there"])
    }

    @Test("Indexes are rebuilt and checked against the documents", arguments: EngineKind.allCases)
    func reindexing(kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        try room.save("a", #"{"kind":1,"tags":[1,2]}"#)
        let item = CheckedKey(.property(source: 1, QueryPath()))
        let column = QueryIndexDefinition.FullTextColumn(name: "s", .property(source: 0, "s"))
        try room.store.write { writer in
            let keys = [CheckedKey(.property(source: 0, "kind"))]
            try writer.createIndex("byKind", .value(keys, filter: nil), in: .default)
            try writer.createIndex("byTag", .array(["tags"], [item]), in: .default)
            let words = QueryIndexDefinition.fullText(
                [column],
                tokenizer: "divan1 en 1",
                filter: nil
            )
            try writer.createIndex("words", words, in: .default)
        }
        #expect(try room.store.reindex() == 3)
        try room.store.checkIntegrity()
    }

    @Test(
        "ORDER BY and GROUP BY do not treat constants as column numbers",
        arguments: [
            "5", "-2", "+(3)", "TRUE", "(n IN ())", "(n AND FALSE)", "NULL", "MISSING", "'a'",
        ]
    )
    func constantKeys(key: String) throws {
        let natural = try rows("SELECT META().id FROM _ WHERE n = 1")
        #expect(try rows("SELECT META().id FROM _ WHERE n = 1 ORDER BY \(key)") == natural)
        #expect(
            try rows("SELECT META().id, \(key) AS k FROM _ WHERE n = 1 ORDER BY k DESC").map {
                [$0[0]]
            }
                == natural
        )
        #expect(try rows("SELECT DISTINCT \(key) AS k FROM _ ORDER BY k").count == 1)
        let count = QueryValue.integer(59)
        #expect(try rows("SELECT COUNT(*) FROM _ GROUP BY \(key)") == [[count]])
        #expect(
            try rows("SELECT COUNT(*), \(key) AS k FROM _ GROUP BY k").map { [$0[0]] } == [[count]]
        )
    }

    @Test(
        "RANK can be the only DISTINCT column and the sort key",
        arguments: [
            "SELECT DISTINCT RANK(words) AS r FROM _ WHERE MATCH(words, 'k1') ORDER BY r",
            "SELECT DISTINCT RANK(words) AS r FROM _ WHERE MATCH(words, 'k1') ORDER BY RANK(words) LIMIT 3",
        ]
    )
    func distinctRanks(sql: String) throws {
        let column = QueryIndexDefinition.FullTextColumn(
            name: "kind",
            .property(source: 0, QueryPath([.key("kind")]))
        )
        try room.store.write {
            try $0.createIndex(
                "words",
                .fullText([column], tokenizer: "unicode61", filter: nil),
                in: .default
            )
        }
        #expect(try rows(sql).count == 1)
    }

    @Test("LIKE on a function call uses an index and returns the same rows as a scan")
    func patternOfCall() throws {
        let sql = "SELECT META().id FROM _ WHERE UPPER(kind) LIKE 'K1%' ORDER BY META().id"
        let scanned = try rows(sql)
        #expect(!scanned.isEmpty)
        #expect(try room.store.plan(of: query(sql)).indexes == [])
        try index("byUpperKind", "UPPER(kind)")
        #expect(try room.store.plan(of: query(sql)).indexes == ["byUpperKind"])
        #expect(try rows(sql) == scanned)
        let folded =
            "SELECT META().id FROM _ WHERE UPPER(kind) LIKE 'k1%' COLLATE NOCASE ORDER BY META().id"
        #expect(try rows(folded) == scanned)
    }

    @Test(
        "Statistics do not make a join by index lose rows",
        arguments: [
            "SELECT COUNT(*) FROM _ AS d JOIN shop.kinds AS k ON k.n = d.m AND k.kind = d.name WHERE k.kind > 'a'",
            "SELECT COUNT(META(k).id) FROM _ AS d LEFT JOIN shop.kinds AS k ON k.n = d.m AND k.kind = d.name AND k.kind > 'a'",
        ]
    )
    func statistics(sql: String) throws {
        let home = try TemporaryDirectory()
        let path = home.file("room.cblite2")
        let kinds = try #require(CollectionPath("shop.kinds"))
        let store = try Store.open(directory: path)
        try store.createCollection(kinds)
        let keys = try ["n", "kind"].map {
            try QueryExpression(sql: $0).checkedKey(
                over: QueryCollection(scope: "shop", name: "kinds")
            )
        }
        try store.write { writer in
            func save(_ id: String, _ body: String, in path: CollectionPath) throws {
                _ = try writer.save(DocumentID(unchecked: id), in: path, body: Array(body.utf8))
            }
            for number in 0..<20 {
                try save("k\(number)", #"{"kind":"k\#(number)","n":\#(number % 2)}"#, in: kinds)
            }
            for number in 0..<1_500 {
                try save("m\(number)", #"{"m":1,"name":"k\#(number % 20)"}"#, in: .default)
            }
            try writer.createIndex("both", .value(keys, filter: nil), in: kinds)
        }
        try store.optimize(isThorough: true)
        try store.close()
        // Connections read the statistics when they are opened.
        let opened = try Store.open(directory: path)
        defer { try? opened.close() }
        let catalogue = StoreCatalogue(opened, named: "room")
        let query = StorageQuery(
            try QueryStatement(sql: sql).checked(against: catalogue, text: sql)
        )
        #expect(try opened.rows(of: query).next() == [.integer(750)])
        #expect(try opened.plan(of: query).indexes == ["both"])
    }

    @Test(
        "The collation of an inner condition does not affect the outer comparison",
        arguments: [
            "'K1' = CASE WHEN kind = 'K1' COLLATE NOCASE THEN kind END",
            "'K1' IN (CASE WHEN kind = 'K1' COLLATE NOCASE THEN kind END, 'x')",
            "CASE 'K1' WHEN CASE WHEN kind = 'K1' COLLATE NOCASE THEN kind END THEN TRUE END",
            "CASE WHEN kind = 'K1' COLLATE NOCASE THEN kind END BETWEEN 'K1' AND 'KZ'",
        ]
    )
    func innerCollation(condition: String) throws {
        #expect(try rows("SELECT n FROM _ WHERE kind = 'k1' LIMIT 1").count == 1)
        #expect(try rows("SELECT n FROM _ WHERE \(condition)").isEmpty)
    }
}
