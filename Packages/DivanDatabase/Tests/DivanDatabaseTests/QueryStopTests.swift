import DivanDatabase
import DivanJSON
import DivanQuery
import DivanRevisions
import DivanTestKit
import Foundation
import Testing

/// A query ends soon after its time, whatever it does then.
@Suite(.serialized, .timeLimit(.minutes(5))) struct QueryStopTests {
    struct Hostile: Sendable, CustomTestStringConvertible {
        let sql: String
        var parameters: [ExactText: QueryValue] = [:]
        /// Whether there is a full-text index.
        var usesWords = false

        var testDescription: String {
            let text = parameters.isEmpty ? sql : "\(sql) \(parameters.values)"
            return text.count <= 160 ? text : "\(text.prefix(80))…\(text.suffix(79))"
        }
    }

    private static let limit = Duration.milliseconds(50)
    /// Processor time after the limit.
    private static let excess = Duration.milliseconds(200)

    private static func wide(_ part: String, _ count: Int = 500) -> String {
        Array(repeating: part, count: count).joined(separator: ", ")
    }

    private static func repeated(_ part: String, _ count: Int) -> String {
        String(repeating: part, count: count)
    }

    /// Queries that would take from seconds to years.
    static let hostile = calls + rows + joins + containers + words

    /// Few steps of SQLite, with much work in each.
    private static let calls = [
        Hostile(sql: #"SELECT REGEXP_CONTAINS(t, '(?:a(?=.*))*c') FROM _"#),
        Hostile(sql: #"SELECT REGEXP_CONTAINS(t, 'a(?=.*)c') FROM _"#),
        Hostile(sql: #"SELECT REGEXP_CONTAINS(t, '(a*?)\1c') FROM _"#),
        Hostile(sql: #"SELECT REGEXP_POSITION(t, '(?<=a{1,200})c|a(?>[^b]*)c') FROM _"#),
        Hostile(sql: #"SELECT REGEXP_REPLACE(t, 'a(?=.*)', '') FROM _"#),
        Hostile(
            sql: "SELECT REGEXP_CONTAINS(t, $p) FROM _",
            parameters: ["p": .string(repeated("a{0,9}", 1_000) + "c")]
        ),
        Hostile(sql: "SELECT \(wide("LENGTH(t)")) FROM _"),
        Hostile(sql: "SELECT \(wide("UPPER(t) = 'a'")) FROM _"),
        Hostile(
            sql: "SELECT t LIKE $p FROM _",
            parameters: ["p": .string("%" + repeated("_", 20_000) + "b%")]
        ),
        Hostile(
            sql: "SELECT \(wide("t LIKE $p", 200)) FROM _",
            parameters: ["p": .string("%" + repeated("_", 20_000) + "b%")]
        ),
        Hostile(sql: "SELECT \(wide("deep = [$p]")) FROM _", parameters: ["p": .integer(1)]),
        Hostile(sql: "SELECT \(wide("$p IN v")) FROM _", parameters: ["p": .string("x")]),
        Hostile(sql: "SELECT \(wide("ARRAY_SUM(v)")) FROM _"),
        Hostile(sql: "SELECT \(wide("CONTAINS(t, 'b')")) FROM _"),
        patterns("(?i)" + repeated(#"[\p{L}]"#, 20)), patterns(repeated(#"[\p{L}\p{N}x]"#, 20)),
        patterns(repeated("a{0,9}", 1_300)),
    ]

    /// Many different expressions, each of which is compiled.
    private static func patterns(_ pattern: String) -> Hostile {
        let calls = (0..<500).map { "REGEXP_CONTAINS('x', '\($0)' || $p)" }
        return Hostile(
            sql: "SELECT \(calls.joined(separator: ", ")) FROM _",
            parameters: ["p": .string(pattern)]
        )
    }

    private static let rows = [
        Hostile(sql: "SELECT COUNT(*) FROM _ AS d UNNEST d.v AS a UNNEST d.v AS b WHERE a > b"),
        Hostile(sql: "SELECT COUNT(*) FROM _ WHERE ANY x IN v SATISFIES x = w END"),
        Hostile(sql: "SELECT COUNT(*) FROM _ AS d UNNEST d.v AS a WHERE a = d.w"),
        Hostile(sql: "SELECT a FROM _ AS d UNNEST d.v AS a ORDER BY TOSTRING(a) COLLATE UNICODE"),
        Hostile(
            sql: "SELECT a FROM _ AS d UNNEST d.v AS a UNNEST d.v AS b ORDER BY a || b LIMIT 1"
        ),
    ]

    /// Joins without an index.
    private static let joins = [
        Hostile(
            sql: "SELECT COUNT(*) FROM _ AS a JOIN _ AS b ON a.n < b.n JOIN _ AS c ON b.n < c.n"
        ),
        Hostile(
            sql: "SELECT a.n FROM _ AS a LEFT JOIN _ AS b ON a.n < b.n "
                + "LEFT JOIN _ AS c ON b.n < c.n LEFT JOIN _ AS d ON c.n < d.n ORDER BY d.n"
        ),
        Hostile(
            sql: "SELECT COUNT(*) FROM _ AS a JOIN _ AS b ON a.n || 'x' < b.n || 'x' "
                + "JOIN _ AS c ON LOWER(TOSTRING(b.n)) < LOWER(TOSTRING(c.n))"
        ),
    ]

    /// Large containers that are compared, sorted and searched for.
    private static let containers = [
        Hostile(sql: "SELECT DISTINCT [d.t, a] FROM _ AS d UNNEST d.v AS a"),
        Hostile(sql: "SELECT ARRAY_AGG(d.t) FROM _ AS d UNNEST d.v AS a"),
        Hostile(sql: "SELECT a FROM _ AS d UNNEST d.v AS a ORDER BY [d.v, a]"),
        Hostile(sql: "SELECT a FROM _ AS d UNNEST d.v AS a ORDER BY [d.deep, a] LIMIT 1"),
        Hostile(sql: "SELECT COUNT(*) FROM _ AS d UNNEST d.v AS a GROUP BY [d.v, a]"),
        Hostile(sql: "SELECT MAX([d.v, a]) FROM _ AS d UNNEST d.v AS a"),
        Hostile(sql: "SELECT COUNT(*) FROM _ AS d UNNEST d.v AS a WHERE [a] IN d.v"),
        Hostile(
            sql: "SELECT COUNT(*) FROM _ AS d UNNEST d.v AS a "
                + "WHERE (TOSTRING(a) COLLATE NOCASE) IN d.v"
        ),
        Hostile(sql: "SELECT COUNT(*) FROM _ AS d UNNEST d.v AS a WHERE ARRAY_CONTAINS(d.v, [a])"),
    ]

    /// A thousand words, in a document that has two hundred thousand.
    private static let words: [Hostile] = {
        func many(_ word: String, _ separator: String, _ count: Int = 990) -> String {
            Array(repeating: word, count: count).joined(separator: separator)
        }
        let texts = [
            "\"\(many("ab", " "))\"", many("ab", " NEAR/1000 "), many("ab NEAR/3 a*", " AND ", 450),
            many("a*", " OR "),
        ]
        let matches = texts.map { text in
            Hostile(
                sql: "SELECT COUNT(*) FROM _ WHERE MATCH(words, $p)",
                parameters: ["p": .string(text)],
                usesWords: true
            )
        }
        let ranks = [many("ab", " OR "), many("a*", " OR ")].map { text in
            Hostile(
                sql: "SELECT RANK(words) FROM _ WHERE MATCH(words, $p) ORDER BY RANK(words)",
                parameters: ["p": .string(text)],
                usesWords: true
            )
        }
        return matches + ranks
    }()

    private static func room(usesWords: Bool = false) throws -> StoreFixture {
        let room = try StoreFixture(.file)
        let text = repeated("a", 1_000_000)
        let items = (0..<200_000).map { "\($0)" }.joined(separator: ",")
        let deep = repeated("[", 100) + items + repeated("]", 100)
        try room.save("big", "{\"deep\":\(deep),\"t\":\"\(text)\",\"v\":[\(items)],\"w\":-1}")
        try room.store.write { writer in
            for number in 0..<400 {
                let body = Array("{\"n\":\(number)}".utf8)
                _ = try writer.save(DocumentID(unchecked: "d\(number)"), in: .default, body: body)
            }
            guard usesWords else { return }
            let body = Array("{\"s\":\"\(repeated("ab ", 200_000))\"}".utf8)
            _ = try writer.save("words", in: .default, body: body)
            let column = QueryIndexDefinition.FullTextColumn(name: "s", .property(source: 0, "s"))
            try writer.createIndex(
                "words",
                .fullText([column], tokenizer: "divan4 en 1", filter: nil),
                in: .default
            )
        }
        return room
    }

    @Test(arguments: hostile)
    func `a query stops within 200 ms of its time limit`(_ hostile: Hostile) throws {
        let room = try Self.room(usesWords: hostile.usesWords)
        let catalogue = StoreCatalogue(room.store, named: "room")
        let statement = try QueryStatement(sql: hostile.sql)
            .checked(against: catalogue, text: hostile.sql)
        let time = processorTime {
            #expect(throws: QueryStop.tookTooLong(limit: Self.limit)) {
                let control = QueryControl(limit: Self.limit)
                let parameters = hostile.parameters
                let query = StorageQuery(statement, parameters: parameters, control: control)
                let rows = try room.store.rows(of: query)
                defer { rows.end() }
                while try rows.next() != nil {}
            }
        }
        #expect(time < Self.limit + Self.excess, "\(time) of the processor")
        #expect(try room.count("SELECT w FROM _ WHERE w = -1") == 1, "the connection is usable")
    }

    @Test func `a query can be cancelled while SQLite compiles it`() throws {
        let room = try StoreFixture(.file)
        try room.save("a", #"{"n":1}"#)
        let sources = (0..<60).map { " JOIN _ AS s\($0) ON s\($0).n = d.n" }.joined()
        let sql = "SELECT \(Self.wide("d.n + s7.n")) FROM _ AS d\(sources)"
        let catalogue = StoreCatalogue(room.store, named: "room")
        let statement = try QueryStatement(sql: sql).checked(against: catalogue, text: sql)
        let whole = try processorTime {
            _ = try room.store.rows(of: StorageQuery(statement)).next()
        }
        let control = QueryControl()
        control.cancel()
        let stopped = processorTime {
            #expect(throws: QueryStop.cancelled) {
                _ = try room.store.rows(of: StorageQuery(statement, control: control)).next()
            }
        }
        #expect(stopped < whole / 2, "\(stopped) of \(whole)")
    }

    @Test func `a query that is stopped inside a function returns no row`() throws {
        let room = try Self.room()
        let limits = stride(from: 1, through: 40, by: 3).map { Duration.milliseconds($0) }
        for limit in limits {
            #expect(throws: QueryStop.tookTooLong(limit: limit)) {
                let control = QueryControl(limit: limit)
                _ = try room.count("SELECT \(Self.wide("deep = v", 500)) FROM _", [:], control)
            }
        }
    }
}
