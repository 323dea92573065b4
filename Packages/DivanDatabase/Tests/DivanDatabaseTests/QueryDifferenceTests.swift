import DivanDatabase
import DivanJSON
import DivanQuery
import DivanRevisions
import DivanTestKit
import FoundationEssentials
import Testing

/// Random queries in SQL++, answered by SQLite with indexes, without them, from sealed files, in
/// memory, and by a plain evaluator that walks the tree.
@Suite struct QueryDifferenceTests {
    private static let collections = [
        QueryCollection.standard, QueryCollection(scope: "_default", name: "other"),
    ]

    /// Number of queries; `make differential` requests more.
    private static let queryCount = number("DIVAN_QUERIES") ?? TestLength.of(80, long: 400)

    private static func number(_ variable: String) -> UInt64? {
        ProcessInfo.processInfo.environment[variable].flatMap { UInt64($0) }
    }

    @Test
    func `random queries match a plain evaluator, with and without indexes`() throws {
        try askAtRandom(Self.queryCount, countOfWorld: 100) { seed in
            var maker = QueryMaker(seed: seed)
            let world = try QueryWorld(seed: seed, Self.collections)
            return (world, { maker.query() })
        }
    }

    @Test
    func `random queries over several sources return the same rows with any indexes`() throws {
        try askAtRandom(Self.queryCount / 2, countOfWorld: 50) { seed in
            var maker = WideQueryMaker(seed: seed)
            let world = try QueryWorld(seed: seed, Self.collections, isWide: true)
            return (world, { maker.query() })
        }
    }

    /// Longer than what the planner is given, so that equal subjects are combined before.
    @Test func `long chains of alternatives return the same rows everywhere`() throws {
        try askAtRandom(TestLength.of(12, long: 24), countOfWorld: 6) { seed in
            var dice = Dice(seed: seed)
            let world = try QueryWorld(seed: seed, Self.collections)
            return (world, { Self.alternatives(&dice) })
        }
    }

    /// A query with few subjects and constants, so that not all documents match it.
    private static func alternatives(_ dice: inout Dice) -> String {
        let allSubjects = ["a", "b", "c", "list[0]", "nothing", "META().id"]
        let allConstants = ["1", "2", "1.0", "-0.0", "'ab'", "'x'", "NULL", "TRUE", "$p", "$t"]
        let subjects = (0...2).map { _ in dice.pick(allSubjects) }
        let constants = (0...2).map { _ in dice.pick(allConstants) }
        let terms = (0..<310).map { _ in
            let (subject, constant) = (dice.pick(subjects), dice.pick(constants))
            return switch dice.number(in: 0...19) {
            case 0: "\(subject) IN [\(constant), \(dice.pick(constants))]"
            case 1: "\(subject) = \(subject) || 'q'"
            case 2: "(\(subject) = \(constant) COLLATE NOCASE)"
            case 3..<8: "\(constant) = \(subject)"
            default: "\(subject) = \(constant)"
            }
        }
        let chain = "(\(terms.joined(separator: " OR ")))"
        return switch dice.number(in: 0...2) {
        case 0: "SELECT META().id, \(chain) FROM _"
        case 1: "SELECT META().id FROM _ WHERE \(chain)"
        default: "SELECT META().id FROM _ WHERE NOT \(chain)"
        }
    }

    /// Runs at least `count` queries, `countOfWorld` of them on each set of documents.
    private func askAtRandom(
        _ count: UInt64,
        countOfWorld: Int,
        _ make: (_ seed: UInt64) throws -> (QueryWorld, () -> String)
    ) throws {
        let seed = TestSeed.choose(below: 1_000_000)
        print("seed: \(seed)")
        var (queries, rows, round) = (UInt64(0), 0, UInt64(0))
        while queries < count {
            let (world, question) = try make(seed &+ round)
            for _ in 0..<countOfWorld {
                queries += 1
                let sql = question()
                do {
                    rows += try world.ask(sql)
                } catch {
                    Issue.record("seed \(seed &+ round): \(sql)\n\(error)")
                }
            }
            round += 1
        }
        print("\(queries) queries gave \(rows) rows, each six times the same")
    }
}

/// The same documents in stores of every sort, and as the evaluator sees them.
private struct QueryWorld {
    struct Difference: Error, CustomStringConvertible {
        let description: String
    }

    private static let analysed = "indexed, with statistics"

    private let rooms: [(name: String, room: StoreFixture)]
    private let documents: [QueryCollection: [Oracle.Document]]
    private let values = Dictionary(
        uniqueKeysWithValues: ExpressionMaker.parameters.map { ($0.name, $0.value) }
    )

    init(seed: UInt64, _ collections: [QueryCollection], isWide: Bool = false) throws {
        var dice = Dice(seed: ~seed)
        var documents: [QueryCollection: [Oracle.Document]] = [:]
        for collection in collections {
            for number in 0..<24 {
                // As it is read: a whole number is an integer, however it was made.
                let body = try JSON(parsing: DocumentMaker.document(&dice).canonicalBytes())
                documents[collection, default: []].append(
                    Oracle.Document(
                        id: "d\(number)",
                        sequence: Int64(number + 1),
                        body: body,
                        isDeleted: false
                    )
                )
            }
            for (place, number) in [3, 8].enumerated() {
                documents[collection]?[number] = Oracle.Document(
                    id: "d\(number)",
                    sequence: Int64(25 + place),
                    body: .object([:]),
                    isDeleted: true
                )
            }
        }
        self.documents = documents
        rooms = try [
            ("plain", .file), ("indexed", .file), ("sealed, indexed", .sealed),
            ("in memory", .memory), (Self.analysed, .file),
        ].map { name, kind in
            let room = try StoreFixture(kind)
            for collection in collections {
                try Self.fill(room.store, collection, documents[collection] ?? [])
                guard name != "plain" else { continue }
                if isWide {
                    try Self.makeAnyIndexes(room.store, collection, &dice)
                } else {
                    try Self.makeIndexes(room.store, collection)
                }
            }
            if name == Self.analysed { try room.makeStatistics(stretching: seed) }
            return (name, room)
        }
    }

    private static func fill(
        _ store: Store,
        _ collection: QueryCollection,
        _ documents: [Oracle.Document]
    ) throws {
        let path = try #require(CollectionPath(collection))
        try store.createCollection(path)
        try store.write { writer in
            for document in documents {
                _ = try writer.save(
                    DocumentID(checking: document.id),
                    in: path,
                    body: document.body.canonicalBytes()
                )
            }
            for document in documents where document.isDeleted {
                _ = try writer.save(
                    DocumentID(checking: document.id),
                    in: path,
                    body: Array("{}".utf8),
                    isTombstone: true
                )
            }
        }
    }

    private static func makeIndexes(_ store: Store, _ collection: QueryCollection) throws {
        let path = try #require(CollectionPath(collection))
        func key(_ sql: String) throws -> CheckedKey {
            CheckedKey(try QueryExpression(sql: sql).checked(over: collection))
        }
        let isPositive = try QueryExpression(sql: "b > 0").checked(over: collection)
        try store.write { writer in
            try writer.createIndex("a", .value([try key("a")], filter: nil), in: path)
            try writer.createIndex(
                "c",
                .value([try key("c"), try key("a")], filter: nil),
                in: path
            )
            try writer.createIndex(
                "ba",
                .value([try key("b"), try key("a")], filter: isPositive),
                in: path
            )
            try writer.createIndex("sizes", .value([try key("LENGTH(a)")], filter: nil), in: path)
            try writer.createIndex("list", .array(["list"], []), in: path)
            let item = CheckedKey(.property(source: 1, "a"))
            try writer.createIndex("items", .array(["a"], [item]), in: path)
            try writer.createIndex("nested", .array([QueryPath(keys: "c", "a")], []), in: path)
        }
    }

    /// Creates some of many indexes.
    private static func makeAnyIndexes(
        _ store: Store,
        _ collection: QueryCollection,
        _ dice: inout Dice
    ) throws {
        let path = try #require(CollectionPath(collection))
        func key(_ sql: String) throws -> CheckedKey {
            CheckedKey(try QueryExpression(sql: sql).checked(over: collection))
        }
        func filter(_ sql: String) throws -> CheckedExpression {
            try QueryExpression(sql: sql).checked(over: collection)
        }
        let noCase = CheckedKey(
            try key("a").expression,
            collation: QueryCollation(isCaseSensitive: false)
        )
        let item = [CheckedKey(.property(source: 1, "a")), CheckedKey(.property(source: 1, "b"))]
        let inner = CheckedKey(.property(source: 2, "a"))
        let indexes: [QueryIndexDefinition] = [
            .value([try key("a")], filter: nil), .value([noCase], filter: nil),
            .value([try key("b"), try key("a")], filter: nil),
            .value([try key("c"), try key("META().id")], filter: nil),
            .value([try key("LOWER(a)")], filter: nil), .value([try key("a || 'x'")], filter: nil),
            .value([try key("b * 2")], filter: nil), .value([try key("list[0]")], filter: nil),
            .value([try key("TYPE(a)"), try key("a")], filter: nil),
            .value([try key("a")], filter: try filter("b > 0")),
            .value([try key("b")], filter: try filter("a IS NOT MISSING")),
            .value([try key("c")], filter: try filter("a = 1 OR b IS VALUED")),
            .array(["list"], []), .array(["list"], item), .array(["list", "a"], []),
            .array(["a"], []), .array([QueryPath(keys: "c", "a")], []), .array(["b"], [item[0]]),
            .array(["list", "a"], [inner]),
        ]
        for (number, index) in indexes.enumerated() where dice.chance(40) {
            try store.write { try $0.createIndex(ExactText("i\(number)"), index, in: path) }
        }
    }

    /// - Returns: How many rows there were.
    /// - Throws: ``Difference``.
    func ask(_ sql: String) throws -> Int {
        let written = try QueryStatement(sql: sql)
        let catalogue = StoreCatalogue(rooms[0].room.store, named: "db")
        let statement = try written.checked(against: catalogue, text: sql)
        // Objects lose the order of their keys as JSON.
        let json = try QueryStatement(json: JSON(parsing: written.json.canonicalBytes()))
        guard try QueryStatement(sql: written.sql) == written, json.json == written.json else {
            throw Difference(description: "written anew, it is another: \(json.sql)")
        }
        let used = values.filter { statement.parameters.contains(ExactText($0.key)) }
        let parameters = Dictionary(
            uniqueKeysWithValues: used.map { (ExactText($0.key), QueryValue($0.value)) }
        )
        let oracle = Oracle(statement, documents, values)
        let expected = QueryExpectation(oracle)
        for (name, room) in rooms {
            let found = try room.store.rows(
                of: StorageQuery(statement, parameters: parameters)
            )
            var rows: [[JSON?]] = []
            while let row = try found.next() {
                rows.append(row.map { $0 == .missing ? nil : $0.vector })
            }
            if let problem = expected.problem(with: rows) {
                throw Difference(description: "\(name): \(problem)")
            }
        }
        return expected.count
    }
}
