import DivanDatabase
import DivanJSON
import DivanQuery
import DivanRevisions
import DivanTestKit
import Testing

/// Queries of many parts: SQLite compares some of them with one another while it plans, and cannot be
/// interrupted then.
@Suite struct LargeQueryTests {
    /// A text with a number of parts.
    struct Shape: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let sql: @Sendable (Int) -> String

        init(_ name: String, _ sql: @escaping @Sendable (Int) -> String) {
            testDescription = name
            self.sql = sql
        }
    }

    private static func joined(_ count: Int, _ sign: String, _ part: (Int) -> String) -> String {
        (0..<count).map(part).joined(separator: sign)
    }

    /// The count is that of expressions; a query with it is allowed.
    static let shapes: [Shape] = [
        Shape("a AND b AND …") { count in
            "SELECT n FROM _ WHERE " + joined(count / 3, " AND ") { "n > -\($0)" }
        },
        Shape("a OR b OR …") { count in
            "SELECT n FROM _ WHERE " + joined(count / 3, " OR ") { "n = \($0)" }
        },
        Shape("(a OR b) AND (a OR c) AND …") { count in
            "SELECT n FROM _ WHERE " + joined(count / 8, " AND ") { "(n = \($0) OR n = 1)" }
        },
        Shape("many times many") { count in
            "SELECT n FROM _ WHERE "
                + joined(count / 200, " AND ") { _ in
                    "(" + joined(50, " OR ") { "n = \($0)" } + ")"
                }
        },
        Shape("[a, b, …]") { count in
            "SELECT [" + joined(count / 3, ", ") { "n + \($0)" } + "] FROM _"
        },
        Shape("a + b + …") { count in
            "SELECT " + joined(count - 2, " + ") { _ in "n" } + " FROM _"
        },
        Shape("CASE") { count in
            "SELECT CASE" + joined(count / 5, "") { " WHEN n = \($0) THEN \($0)" } + " END FROM _"
        },
        Shape("a IN [1, 2, …]") { _ in
            "SELECT n FROM _ WHERE n IN [" + joined(100_000, ",") { "\($0)" } + "]"
        },
        Shape("a IN ['1', '2', …]") { _ in
            "SELECT n FROM _ WHERE s IN [" + joined(80_000, ",") { "'s\($0)'" } + "]"
        },
    ]

    private func room() throws -> StoreFixture {
        let room = try StoreFixture(.file)
        for number in 0..<5 {
            try room.save(
                DocumentID(unchecked: "d\(number)"),
                #"{"n":\#(number),"s":"s\#(number)"}"#
            )
        }
        let key = CheckedKey(.property(source: 0, "n"))
        try room.store.write {
            try $0.createIndex("n", .value([key], filter: nil), in: .default)
        }
        return room
    }

    private func makeWords(_ name: ExactText = "words", in room: StoreFixture) throws {
        let column = QueryIndexDefinition.FullTextColumn(name: "s", .property(source: 0, "s"))
        try room.store.write {
            try $0.createIndex(
                name,
                .fullText([column], tokenizer: "divan1 en 1", filter: nil),
                in: .default
            )
        }
    }

    private func rows(
        _ sql: String,
        in room: StoreFixture,
        _ parameters: [ExactText: QueryValue] = [:]
    ) throws -> [[QueryValue]] {
        let catalogue = StoreCatalogue(room.store, named: "large")
        let statement = try QueryStatement(sql: sql).checked(against: catalogue, text: sql)
        let rows = try room.store.rows(of: StorageQuery(statement, parameters: parameters))
        defer { rows.end() }
        var found: [[QueryValue]] = []
        while let row = try rows.next() { found.append(row) }
        return found
    }

    @Test(.timeLimit(.minutes(5)), arguments: shapes)
    func `the largest query is planned in bounded time`(_ shape: Shape) throws {
        let room = try room()
        var found: [[QueryValue]] = []
        let time = try processorTime { found = try rows(shape.sql(9_900), in: room) }
        #expect(!found.isEmpty)
        #expect(time < .seconds(20), "some hundred milliseconds on a quiet machine")
    }

    /// Forty levels, each of which doubled the work, would never end.
    @Test(.timeLimit(.minutes(5)), arguments: [false, true])
    func `nested LIKE expressions are each translated once`(_ hasIndex: Bool) throws {
        let room = try room()
        if hasIndex {
            let key = try QueryExpression(sql: "LOWER(s)").checkedKey(over: .standard)
            try room.store.write {
                try $0.createIndex("low", .value([key], filter: nil), in: .default)
            }
        }
        let deep = (0..<40).reduce("s") { inner, _ in "LOWER(\(inner) LIKE 's%')" }
        let catalogue = StoreCatalogue(room.store, named: "large")
        let sql = "SELECT n FROM _ WHERE \(deep) LIKE 's%'"
        let statement = try QueryStatement(sql: sql).checked(against: catalogue, text: sql)
        #expect(try !room.store.plan(of: StorageQuery(statement)).steps.isEmpty)
    }

    @Test(arguments: ["n = $0", "$0 = n", "n IN [$0, -$0]"])
    func `an index is used for any number of alternatives`(_ form: String) throws {
        let room = try room()
        let catalogue = StoreCatalogue(room.store, named: "large")
        for count in [3, 301, 1_500] {
            let chain = Self.joined(count, " OR ") { number in
                form.split(separator: "$0", omittingEmptySubsequences: false)
                    .joined(separator: "\(number + 2)")
            }
            let sql = "SELECT n FROM _ WHERE " + chain
            let statement = try QueryStatement(sql: sql).checked(against: catalogue, text: sql)
            let plan = try room.store.plan(of: StorageQuery(statement))
            #expect(!plan.steps.contains { $0.text.hasPrefix("SCAN") }, "\(count)")
            #expect(!plan.indexes.isEmpty, "\(count)")
            #expect(try rows(sql, in: room).count == 3, "\(count)")
        }
    }

    @Test(arguments: [60, 100, 1_500, 9_000])
    func `a calculation can be as long as a query allows`(_ count: Int) throws {
        let room = try room()
        func value(_ expression: String) throws -> [[QueryValue]] {
            try rows("SELECT \(expression) FROM _ WHERE META().id = 'd1'", in: room)
        }
        let sum = Self.joined(count, " + ") { _ in "n" }
        #expect(try value(sum) == [[.integer(Int64(count))]])
        #expect(
            try value("0" + String(repeating: " - n", count: count - 1)) == [
                [.integer(Int64(1 - count))]
            ]
        )
        #expect(try value("2" + String(repeating: " * n", count: count - 1)) == [[.integer(2)]])
        #expect(try value(sum + " + nothing") == [[.missing]])
        #expect(try value("(\(sum)) * 0.5 - 1") == [[.double(Double(count) / 2 - 1)]])
        let found = "SELECT s FROM _ WHERE \(sum) = \(count) AND META().id = 'd1'"
        #expect(try rows(found, in: room) == [[.string("s1")]])
    }

    @Test func `a query that is too large is rejected at the position of the excess`() throws {
        let catalogue = StoreCatalogue(try StoreFixture(.memory).store, named: "large")
        let sql = "SELECT n FROM _ WHERE " + Self.joined(4_000, " AND ") { "n > \($0)" }
        let error = #expect(throws: QueryError.self) {
            try QueryStatement(sql: sql).checked(against: catalogue, text: sql)
        }
        #expect(error?.offset != nil && error?.problem.contains("IN") == true, "\(error as Any)")
    }

    @Test func `conditions that are hidden from the planner still apply`() throws {
        let room = try room()
        let many = Self.joined(400, " AND ") { "n <> \($0 + 3)" }
        #expect(
            try rows("SELECT n FROM _ WHERE \(many) ORDER BY n", in: room)
                == [[.integer(0)], [.integer(1)], [.integer(2)]]
        )
        let some = Self.joined(400, " OR ") { "n = \($0 + 3)" }
        #expect(
            try rows("SELECT n FROM _ WHERE \(some) ORDER BY n", in: room)
                == [[.integer(3)], [.integer(4)]]
        )
        try makeWords(in: room)
        #expect(
            try rows("SELECT n FROM _ WHERE \(many) AND MATCH(words, 's2')", in: room)
                == [[.integer(2)]]
        )
        #expect(
            try rows("SELECT n FROM _ WHERE (MATCH(words, 's2') AND n = 2) AND \(many)", in: room)
                == [[.integer(2)]]
        )
    }

    @Test func `MATCH works after any number of other conditions`() throws {
        let room = try room()
        try makeWords(in: room)
        try makeWords("others", in: room)
        let many = Self.joined(300, " OR ") { "n = \($0)" }
        let words = "MATCH(words, 's2') AND MATCH(others, 's2')"
        #expect(
            try rows("SELECT n, (\(many)) FROM _ WHERE \(words)", in: room)
                == [[.integer(2), .boolean(true)]]
        )
    }

    @Test func `each of many parameters keeps its value`() throws {
        let room = try room()
        let list = Self.joined(300, ",") { $0.isMultiple(of: 3) ? "'?\($0)'" : "$t" }
        let found = try rows(
            "SELECT s, $t FROM _ WHERE $t = 's4' AND s IN [\(list), 's1', $u] AND s <> $u",
            in: room,
            ["t": .string("s4"), "u": .string("s2")]
        )
        #expect(Set(found) == [[.string("s1"), .string("s4")], [.string("s4"), .string("s4")]])
    }

    @Test(arguments: [
        "SELECT REGEXP_LIKE(s, '(') FROM _", "SELECT TRIM(s, 's') FROM _",
        "SELECT n FROM _ WHERE MATCH(words, 'this AND')",
        "SELECT n FROM _ WHERE MATCH(words, '\"open')",
    ])
    func `an invalid function argument is reported as an invalid query`(_ sql: String) throws {
        let room = try room()
        try makeWords(in: room)
        let error = #expect(throws: QueryError.self) { try rows(sql, in: room) }
        #expect(error?.problem.isEmpty == false && error?.code == .failed)
    }

    @Test func `more columns or keys than SQLite supports are rejected with a clear error`() throws
    {
        let room = try room()
        let many = Self.joined(2_001, ", ") { _ in "n" }
        for sql in ["SELECT \(many) FROM _", "SELECT n FROM _ ORDER BY \(many)"] {
            let error = #expect(throws: QueryError.self) { try rows(sql, in: room) }
            #expect(error?.problem.hasPrefix("2001 ") == true, "\(error as Any)")
        }
    }
}
