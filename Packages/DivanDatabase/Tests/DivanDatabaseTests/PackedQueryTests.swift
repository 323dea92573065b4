import DivanJSON
import DivanQuery
import DivanRevisions
import DivanTestKit
import Testing

@testable import DivanDatabase
@testable import DivanSQLiteEngine
@testable import DivanStorage
@_spi(Database) @testable import DivanStore

/// Queries on packed collections return the same rows as on plain ones.
@Suite struct PackedQueryTests {
    static func rows(_ sql: String, _ store: Store) throws -> [[QueryValue]] {
        let statement = try QueryStatement(sql: sql)
            .checked(against: StoreCatalogue(store, named: "db"), text: sql)
        let values = Dictionary(
            uniqueKeysWithValues: ExpressionMaker.parameters.map { (ExactText($0.name), $0.value) }
        )
        let used = values.filter { statement.parameters.contains($0.key) }
        let found = try store.rows(
            of: StorageQuery(statement, parameters: used.mapValues { QueryValue($0) })
        )
        var rows: [[QueryValue]] = []
        while let row = try found.next() { rows.append(row) }
        return rows
    }

    static func makeIndexes(_ store: Store) throws {
        func key(_ sql: String) throws -> CheckedKey {
            CheckedKey(try QueryExpression(sql: sql).checked(over: .standard))
        }
        try store.write { writer in
            let item = CheckedKey(.property(source: 1, "day"))
            try writer.createIndex("city", .value([try key("city")], filter: nil), in: .default)
            try writer.createIndex("a", .value([try key("a")], filter: nil), in: .default)
            try writer.createIndex("list", .array(["list"], []), in: .default)
            try writer.createIndex("schedule", .array(["schedule"], [item]), in: .default)
        }
    }

    private static let questions = [
        "SELECT COUNT(*) AS n FROM _ WHERE city = 'Oslo' AND distance > 4000",
        "SELECT META().id, city, distance FROM _ WHERE city = '東京' ORDER BY distance DESC, META().id",
        "SELECT city, COUNT(*), SUM(distance) FROM _ GROUP BY city ORDER BY city",
        "SELECT s.number, u.flight FROM _ AS s UNNEST s.schedule AS u WHERE u.day = 3 ORDER BY s.number",
        "SELECT META().id FROM _ WHERE ANY x IN schedule SATISFIES x.day = 7 END ORDER BY META().id",
        "SELECT _ FROM _ WHERE number = 31",
        "SELECT a.number FROM _ AS a JOIN _ AS b ON a.number = b.distance ORDER BY a.number",
        "SELECT UPPER(airline), LENGTH(city), schedule[0].flight FROM _ WHERE number < 20 "
            + "ORDER BY number",
    ]

    /// Indexes created before and after the switch, and maintained while documents change.
    @Test(arguments: [false, true])
    func `queries return the same rows with and without compression`(areIndexesFirst: Bool) throws {
        let (plain, packed) = (try PackedStoreFixture(), try PackedStoreFixture())
        for room in [plain, packed] {
            if areIndexesFirst { try Self.makeIndexes(room.store) }
            try room.save(PackedStoreFixture.routes(0..<300))
        }
        try packed.pack()
        if areIndexesFirst { try packed.store.compact() }
        for room in [plain, packed] {
            try room.save(PackedStoreFixture.routes(200..<400, seed: 9))
            if !areIndexesFirst { try Self.makeIndexes(room.store) }
            try room.save(PackedStoreFixture.routes(350..<450, seed: 10))
        }
        #expect(try packed.packedCount() > 200)
        for _ in 0..<2 {
            for question in Self.questions {
                #expect(
                    try Self.rows(question, packed.store) == Self.rows(question, plain.store),
                    "\(question)"
                )
            }
            try packed.store.checkIntegrity()
            // Recompiled, on new connections.
            try packed.reopen()
        }
    }

    @Test
    func `full-text search finds words whether they were compressed before or after indexing`()
        throws
    {
        let (plain, packed) = (try PackedStoreFixture(), try PackedStoreFixture())
        func index(_ room: PackedStoreFixture) throws {
            let column = QueryIndexDefinition.FullTextColumn(
                name: "city",
                .property(source: 0, "city")
            )
            try room.store.write { writer in
                try writer.createIndex(
                    "words",
                    .fullText([column], tokenizer: "divan1 en 1", filter: nil),
                    in: .default
                )
            }
        }
        try index(packed)
        for room in [plain, packed] { try room.save(PackedStoreFixture.routes(0..<200)) }
        try packed.pack()
        try packed.store.compact()
        for room in [plain, packed] { try room.save(PackedStoreFixture.routes(100..<300, seed: 4)) }
        try index(plain)
        for word in ["oslo", "zürich", "nowhere"] {
            let sql = "SELECT META().id FROM _ WHERE MATCH(words, '\(word)') ORDER BY META().id"
            #expect(try Self.rows(sql, packed.store) == Self.rows(sql, plain.store))
        }
        try packed.store.checkIntegrity()
        try packed.store.reindex()
        try packed.store.checkIntegrity()
    }

    @Test func `random queries return the same rows with and without compression`() throws {
        let seed = TestSeed.choose(below: 1_000_000)
        let (plain, packed) = (try PackedStoreFixture(), try PackedStoreFixture())
        let other = try #require(CollectionPath("other"))
        var dice = Dice(seed: seed)
        var bodies: [String: [UInt8]] = [:]
        for number in 0..<70 {
            bodies["d\(number)"] = try DocumentMaker.document(&dice).canonicalBytes()
        }
        for room in [plain, packed] {
            try room.store.createCollection(other)
            try room.save(bodies)
            try room.store.write { writer in
                for (id, body) in bodies.sorted(by: { $0.key < $1.key }).prefix(65) {
                    _ = try writer.save(DocumentID(checking: id), in: other, body: body)
                }
            }
        }
        // Plans are then alike, so that order and choice among equal values are, too.
        for room in [plain, packed] { try Self.makeIndexes(room.store) }
        try packed.pack()
        try packed.store.write { try $0.packBodies(of: other, with: PackedStoreFixture.lz4) }
        try packed.store.compact()
        #expect(try packed.packedCount() > 10, "seed \(seed)")
        var maker = QueryMaker(seed: seed)
        for _ in 0..<300 {
            let sql = maker.query()
            let expected = try Self.rows(sql, plain.store)
            #expect(try Self.rows(sql, packed.store) == expected, "seed \(seed): \(sql)")
        }
    }
}
