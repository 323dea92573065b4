import DivanCommandLine
import DivanDatabase
import DivanJSON
import DivanQuery

/// `divan index stats`.
enum IndexStatsCommand: Command {
    static let syntax = CommandSyntax(
        name: "index stats",
        summary: "measure the recall and speed of a vector index",
        operands: [.database, .init(name: "NAME")],
        options: [
            .collection,
            .value("--queries", "N", "number of queries to run (default: 20)"),
            .json,
        ],
        details: """
            Searches the 10 nearest neighbours of vectors that are stored in the collection, once
            with the index and once by comparing all vectors. The recall is the share of the exact
            results that the index finds. If it is too low, create the index with fewer centroids.
            """,
        examples: ["divan index stats travel near -c travel.hotels"]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let collection = try arguments.collectionPath()
        let name = ExactText(arguments.operands[1])
        let queryCount = try arguments.number("--queries", in: 1...10_000) ?? 20
        var session = try QuerySession(arguments.database)
        defer { session.close() }
        try arguments.database.require([collection], in: session.store)
        let indexes = try session.store.read { try $0.indexes(in: collection) }
        guard let index = indexes.first(where: { $0.name == name }) else {
            throw Failure(
                kind: .notFound,
                sentence: "index '\(name)' not found in collection '\(collection.wireName)'",
                hint: "run 'divan index ls' to list the indexes"
            )
        }
        guard let vectors = index.vectors else {
            throw Failure(
                kind: .invalid,
                sentence: "index '\(name)' is not a vector index",
                hint: "to see which index a query uses, run 'divan query --explain'"
            )
        }
        var trial = RecallTrial(vectors, in: collection)
        try trial.run(queryCount: queryCount, &session)
        guard terminal.isJSON else {
            let training = try index.training(collection, session.store)
            let rows = [("index", index.line + training)] + trial.rows
            return terminal.result(Columns.aligned(rows.map { (left: $0, right: $1) }, indent: ""))
        }
        let state = try session.store.vectorIndexState(name, in: collection)
        var members = trial.members
        members["name"] = .string(name.text)
        members["source"] = .string(index.summary)
        members["trained"] = .bool(state?.isTrained ?? false)
        terminal.result(JSON.object(members).canonicalText)
    }
}

/// Compares the results of a vector index with those of comparing all vectors.
struct RecallTrial {
    private static let neighbourCount = 10

    private let expression: String
    private let metric: String
    private let collection: String
    private var vectorCount = 0
    private var queryCount = 0
    private var expectedCount = 0
    private var foundCount = 0
    private var indexTime = Duration.zero
    private var exactTime = Duration.zero

    init(_ index: QueryVectorIndex, in collection: CollectionPath) {
        expression = index.expression
        metric = index.options.metric.rawValue
        self.collection = Search.place(of: collection)
    }

    /// The share of the exact results that the index finds; `nil` without vectors.
    var recall: Double? {
        expectedCount == 0 ? nil : Double(foundCount) / Double(expectedCount)
    }

    mutating func run(queryCount limit: Int, _ session: inout QuerySession) throws {
        let count = try ids(
            "SELECT COUNT(*) FROM \(collection) WHERE \(expression) IS VALUED",
            &session
        ).first
        guard case .integer(let total)? = count, total > 0 else { return }
        vectorCount = Int(total)
        for vector in try sample(min(limit, vectorCount), session) {
            try Interruption.check()
            try compare(vector, &session)
        }
    }

    /// Vectors from the whole collection, the same in each run.
    private func sample(_ count: Int, _ session: QuerySession) throws -> [QueryValue] {
        let question = """
            SELECT \(expression) FROM \(collection) WHERE \(expression) IS VALUED
            ORDER BY META().id
            """
        let rows = try session.store.rows(of: session.query(question))
        defer { rows.end() }
        var (place, vectors) = (0, [QueryValue]())
        while vectors.count < count, let row = try rows.next() {
            try Interruption.check()
            if place == vectors.count * vectorCount / count, let vector = row.first {
                vectors.append(vector)
            }
            place += 1
        }
        return vectors
    }

    private mutating func compare(_ vector: QueryValue, _ session: inout QuerySession) throws {
        let clock = ContinuousClock()
        func nearest(_ accurate: String) throws -> ([QueryValue], Duration) {
            var found: [QueryValue] = []
            session.parameters = ["vector": vector]
            defer { session.parameters = [:] }
            let distance = "APPROX_VECTOR_DISTANCE(\(expression), $vector\(accurate))"
            let time = try clock.measure {
                found = try ids(
                    """
                    SELECT META().id FROM \(collection) ORDER BY \(distance)
                    LIMIT \(Self.neighbourCount)
                    """,
                    &session
                )
            }
            return (found, time)
        }
        let (found, indexTime) = try nearest("")
        let (exact, exactTime) = try nearest(", '\(metric)', 1, TRUE")
        queryCount += 1
        expectedCount += exact.count
        foundCount += Set(exact).intersection(found).count
        self.indexTime += indexTime
        self.exactTime += exactTime
    }

    private func ids(_ question: String, _ session: inout QuerySession) throws -> [QueryValue] {
        try session.rows(of: session.query(question)).compactMap(\.first)
    }

    private func milliseconds(_ time: Duration) -> Double {
        queryCount == 0 ? 0 : time / .milliseconds(queryCount)
    }

    /// For people.
    var rows: [(String, String)] {
        guard let recall else { return [("vectors", "0")] }
        func time(_ time: Duration) -> String {
            "\(Numbers.decimal(milliseconds(time), places: 2)) ms for each query"
        }
        return [
            ("vectors", Numbers.grouped(vectorCount)),
            (
                "recall",
                "\(Numbers.decimal(100 * recall, places: 1)) % of the \(Self.neighbourCount)"
                    + " nearest, in \(Numbers.count(queryCount, "query", "queries"))"
            ),
            ("with the index", time(indexTime)), ("without", time(exactTime)),
        ]
    }

    /// For programs.
    var members: JSONObject {
        var members: JSONObject = ["vectors": JSON(vectorCount), "queries": JSON(queryCount)]
        guard let recall else { return members }
        members["recall"] = .double(recall)
        members["milliseconds"] = .double(milliseconds(indexTime))
        members["exactMilliseconds"] = .double(milliseconds(exactTime))
        return members
    }
}
