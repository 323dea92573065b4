import CDivanStoreFaults
import DivanJSON
import DivanQuery
import DivanRevisions
import DivanStore
import Foundation
import Testing

/// A query ends soon after its time, whatever it does then.
@Suite(.serialized, .timeLimit(.minutes(5))) struct QueryStopTests {
    struct Hostile: Sendable, CustomTestStringConvertible {
        let sql: String
        var parameters: [ExactText: QueryValue] = [:]

        var testDescription: String { String(sql.prefix(100)) }
    }

    private static let limit = Duration.milliseconds(50)
    /// Processor time after the limit.
    private static let excess = 200.0

    private static func wide(_ part: String, _ count: Int = 500) -> String {
        Array(repeating: part, count: count).joined(separator: ", ")
    }

    private static let pattern = "%" + String(repeating: "_", count: 20_000) + "b%"

    /// Queries that would take from seconds to years.
    static let hostile: [Hostile] = [
        // One call of a function.
        Hostile(sql: #"SELECT REGEXP_CONTAINS(t, '(?:a(?=.*))*c') FROM _"#),
        Hostile(sql: #"SELECT REGEXP_CONTAINS(t, 'a(?=.*)c') FROM _"#),
        Hostile(sql: #"SELECT REGEXP_CONTAINS(t, '(a*?)\1c') FROM _"#),
        Hostile(sql: #"SELECT REGEXP_POSITION(t, '(?<=a{1,200})c|a(?>[^b]*)c') FROM _"#),
        Hostile(sql: #"SELECT REGEXP_REPLACE(t, 'a(?=.*)', '') FROM _"#),
        // Few steps of SQLite, with much work in each.
        Hostile(sql: "SELECT \(wide("LENGTH(t)")) FROM _"),
        Hostile(sql: "SELECT \(wide("UPPER(t) = 'a'")) FROM _"),
        Hostile(
            sql: "SELECT \(wide("t LIKE $p", 200)) FROM _",
            parameters: ["p": .string(pattern)]
        ),
        Hostile(sql: "SELECT \(wide("deep = [$p]")) FROM _", parameters: ["p": .integer(1)]),
        Hostile(sql: "SELECT \(wide("$p IN v")) FROM _", parameters: ["p": .string("x")]),
        Hostile(sql: "SELECT \(wide("ARRAY_SUM(v)")) FROM _"),
        Hostile(sql: "SELECT \(wide("CONTAINS(t, 'b')")) FROM _"),
        Hostile(
            sql:
                "SELECT \((0..<500).map { "REGEXP_CONTAINS('x', '\($0)' || $p)" }.joined(separator: ", ")) FROM _",
            parameters: ["p": .string("(?i)" + String(repeating: #"[\p{L}]"#, count: 20))]
        ),
        // Many rows.
        Hostile(sql: "SELECT COUNT(*) FROM _ AS d UNNEST d.v AS a UNNEST d.v AS b WHERE a > b"),
        Hostile(sql: "SELECT COUNT(*) FROM _ WHERE ANY x IN v SATISFIES x = w END"),
        Hostile(sql: "SELECT COUNT(*) FROM _ AS d UNNEST d.v AS a WHERE a = d.w"),
        Hostile(sql: "SELECT a FROM _ AS d UNNEST d.v AS a ORDER BY TOSTRING(a) COLLATE UNICODE"),
        Hostile(sql: "SELECT DISTINCT [d.t, a] FROM _ AS d UNNEST d.v AS a"),
        Hostile(sql: "SELECT ARRAY_AGG(d.t) FROM _ AS d UNNEST d.v AS a"),
    ]

    private static func room() throws -> StoreFixture {
        let room = try StoreFixture(.file)
        let text = String(repeating: "a", count: 1_000_000)
        let items = (0..<200_000).map { "\($0)" }.joined(separator: ",")
        let deep = String(repeating: "[", count: 100) + items + String(repeating: "]", count: 100)
        try room.save("big", "{\"deep\":\(deep),\"t\":\"\(text)\",\"v\":[\(items)],\"w\":-1}")
        return room
    }

    @Test(arguments: hostile)
    func `a query stops within 200 ms of its time limit`(_ hostile: Hostile) throws {
        let room = try Self.room()
        let catalogue = StoreCatalogue(room.store, named: "room")
        let statement = try QueryStatement(sql: hostile.sql)
            .checked(against: catalogue, text: hostile.sql)
        let start = Self.now()
        #expect(throws: QueryStop.tookTooLong(limit: Self.limit)) {
            let watch = QueryWatch(limit: Self.limit)
            let query = StorageQuery(statement, parameters: hostile.parameters, watch: watch)
            let rows = try room.store.rows(of: query)
            defer { rows.end() }
            while try rows.next() != nil {}
        }
        let time = Self.now() - start
        #expect(time < 50 + Self.excess, "\(time) ms of the processor")
        #expect(try room.count("SELECT w FROM _") == 1, "the connection can be used again")
    }

    @Test func `a query can be cancelled while SQLite compiles it`() throws {
        let room = try StoreFixture(.file)
        try room.save("a", #"{"n":1}"#)
        let sources = (0..<60).map { " JOIN _ AS s\($0) ON s\($0).n = d.n" }.joined()
        let sql = "SELECT \(Self.wide("d.n + s7.n")) FROM _ AS d\(sources)"
        let catalogue = StoreCatalogue(room.store, named: "room")
        let statement = try QueryStatement(sql: sql).checked(against: catalogue, text: sql)
        let start = Self.now()
        _ = try room.store.rows(of: StorageQuery(statement)).next()
        let whole = Self.now() - start
        let watch = QueryWatch()
        watch.cancel()
        #expect(throws: QueryStop.cancelled) {
            _ = try room.store.rows(of: StorageQuery(statement, watch: watch)).next()
        }
        let stopped = Self.now() - start - whole
        #expect(stopped < whole / 2, "\(stopped) of \(whole) ms")
    }

    @Test func `a query that is stopped inside a function returns no row`() throws {
        let room = try Self.room()
        let limits = stride(from: 1, through: 40, by: 3).map { Duration.milliseconds($0) }
        for limit in limits {
            #expect(throws: QueryStop.tookTooLong(limit: limit)) {
                let watch = QueryWatch(limit: limit)
                _ = try room.count("SELECT \(Self.wide("deep = v", 500)) FROM _", [:], watch)
            }
        }
    }

    private static func now() -> Double { divan_thread_milliseconds() }
}
