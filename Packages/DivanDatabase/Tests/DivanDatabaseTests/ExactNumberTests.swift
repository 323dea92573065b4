import DivanDatabase
import DivanJSON
import DivanQuery
import DivanRevisions
import Testing

/// Large integers in queries, conditions and aggregates.
@Suite struct ExactNumberTests {
    private static let values = [
        "9223372036854775807", "9223372036854775806", "-9223372036854775808", "9007199254740993",
        "9007199254740992", "9007199254740992.0", "18446744073709551615", "1e300", "7", "7.0",
        "true", "1",
    ]

    private func room(_ kind: EngineKind) throws -> StoreFixture {
        let room = try StoreFixture(kind)
        for (index, value) in Self.values.enumerated() {
            try room.save(DocumentID(unchecked: "d\(index)"), #"{"v":\#(value),"a":[\#(value)]}"#)
        }
        return room
    }

    private func rows(_ sql: String, in room: StoreFixture) throws -> [[QueryValue]] {
        let catalogue = StoreCatalogue(room.store, named: "vectors")
        let statement = try QueryStatement(sql: sql).checked(against: catalogue, text: sql)
        let rows = try room.store.rows(of: StorageQuery(statement))
        var found: [[QueryValue]] = []
        while let row = try rows.next() { found.append(row) }
        return found
    }

    private static let conditions: [(String, [Int])] = [
        ("v = 18446744073709551615", [6]), ("v = 9223372036854775807", [0]),
        ("v = 9223372036854775808", []), ("v > 9223372036854775807", [6, 7]),
        ("v >= 9223372036854775807", [0, 6, 7]), ("v IN (9223372036854775808, 7)", [8, 9]),
        ("v BETWEEN 9223372036854775808 AND 1e299", [6]), ("v = 9007199254740993", [3]),
        ("v = 9007199254740992", [4, 5]), ("v = -9223372036854775808", [2]),
        ("v < -9223372036854777857", []), ("ANY x IN a SATISFIES x = 9223372036854775808 END", []),
        ("18446744073709551615 IN a", [6]), ("ARRAY_CONTAINS(a, 9007199254740993)", [3]),
        ("ABS(v) = 9007199254740993", [3]), ("ROUND(v) = 9223372036854775807", [0]),
        ("IDIV(v, 1) = 9223372036854775807", [0]), ("DIV(v, 1) = 9007199254740993", [3]),
        ("ARRAY_MAX(a) = 9223372036854775806", [1]), ("ARRAY_SUM(a) = 9007199254740993", [3]),
        ("v % 10 = 6", [1, 6]), ("v % 9223372036854775808 = 0", [2, 6, 7]),
        ("(v + 0) % 4 = 3 AND v > 100", [0]),
    ]

    @Test(arguments: ExactNumberTests.conditions, EngineKind.allCases)
    func `a query compares large integers exactly`(
        condition: (String, [Int]),
        kind: EngineKind
    ) throws {
        let room = try room(kind)
        let found = try rows(
            "SELECT META().id FROM _ WHERE \(condition.0) ORDER BY META().id",
            in: room
        )
        let ids = condition.1.map { "d\($0)" }.sorted()
        #expect(found == ids.map { [.string($0)] }, "\(condition.0)")
    }

    /// Sync filters and the rights of users are such conditions.
    @Test(arguments: ExactNumberTests.conditions)
    func `a condition on one document compares large integers exactly`(
        condition: (String, [Int])
    ) throws {
        let held = try BodyCondition(sql: condition.0)
        for (index, value) in Self.values.enumerated() {
            let holds = try held.holds(
                of: DocumentID(unchecked: "d\(index)"),
                body: Array(#"{"v":\#(value),"a":[\#(value)]}"#.utf8)
            )
            #expect(holds == condition.1.contains(index), "\(condition.0) of \(value)")
        }
    }

    @Test(arguments: EngineKind.allCases)
    func `equal integers and doubles are one value, different ones are not`(kind: EngineKind) throws
    {
        let room = try room(kind)
        #expect(try rows("SELECT DISTINCT v FROM _", in: room).count == 9)
        #expect(try rows("SELECT v, COUNT(*) FROM _ GROUP BY v", in: room).count == 9)
        #expect(try rows("SELECT COUNT(DISTINCT v) FROM _", in: room) == [[.integer(9)]])
    }

    @Test(arguments: EngineKind.allCases)
    func `DISTINCT in an aggregate counts equal values once`(kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        let bodies = [
            #"{"g":1,"v":3,"s":"b"}"#, #"{"g":1,"v":3.0,"s":"B"}"#, #"{"g":1,"v":"3","s":"a"}"#,
            #"{"g":2,"v":{"a":1,"b":2},"s":"b"}"#, #"{"g":2,"v":{"b":2,"a":1},"s":"b"}"#,
            #"{"g":2,"v":null,"s":"é"}"#, #"{"g":2,"s":"e"}"#, #"{"g":2,"v":4,"s":"b"}"#,
        ]
        for (index, body) in bodies.enumerated() {
            try room.save(DocumentID(unchecked: "d\(index)"), body)
        }
        func row(_ columns: String, _ rest: String = "") throws -> [QueryValue] {
            try rows("SELECT \(columns) FROM _ \(rest)", in: room)[0]
        }
        #expect(
            try row("COUNT(DISTINCT v), COUNT(v), COUNT(DISTINCT g), COUNT(DISTINCT META().id)")
                == [.integer(5), .integer(7), .integer(2), .integer(8)]
        )
        #expect(try row("SUM(DISTINCT g), AVG(DISTINCT g)") == [.integer(3), .double(1.5)])
        #expect(
            try row("MIN(DISTINCT v), MAX(DISTINCT s), COUNT(DISTINCT nothing)")
                == [.integer(3), .string("é"), .integer(0)]
        )
        #expect(
            try row("COUNT(DISTINCT s), COUNT(DISTINCT s COLLATE NOCASE)") == [
                .integer(5), .integer(4),
            ]
        )
        let noAccents = "COUNT(DISTINCT s COLLATE (UNICODE NOCASE NODIAC))"
        #expect(try row(noAccents) == [.integer(3)])
        #expect(
            try row("ARRAY_AGG(DISTINCT v), ARRAY_LENGTH(ARRAY_AGG(DISTINCT s))")
                == [.container(Array(#"[3,"3",{"a":1,"b":2},null,4]"#.utf8)), .integer(5)]
        )
        #expect(
            try rows(
                "SELECT g, COUNT(DISTINCT v) AS n FROM _ GROUP BY g HAVING COUNT(DISTINCT v) > 2 ORDER BY n",
                in: room
            ) == [[.integer(2), .integer(3)]]
        )
        #expect(try row("COUNT(DISTINCT 1), COUNT(DISTINCT *)") == [.integer(1), .integer(7)])
        #expect(try row("COUNT(DISTINCT v)", "WHERE g = 3") == [.integer(0)])
        #expect(try row("DISTINCT COUNT(DISTINCT v)", "WHERE g = 1") == [.integer(2)])
    }
}
