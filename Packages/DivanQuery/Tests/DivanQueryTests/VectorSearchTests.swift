import DivanJSON
import DivanQuery
import Testing

/// `APPROX_VECTOR_DISTANCE`: reading, printing and checking.
@Suite struct VectorSearchTests {
    /// Each collection has one vector index.
    private struct Catalogue: QueryCatalogue {
        let databaseName: ExactText = "db"

        func hasCollection(_ collection: QueryCollection) -> Bool { true }

        func hasFullTextIndex(_ name: ExactText, in collection: QueryCollection) -> Bool {
            name == "words"
        }

        func vectorIndexes(in collection: QueryCollection) -> [QueryVectorIndex] {
            let options = QueryVectorOptions(dimensions: 4, centroidCount: 2, metric: .cosine)
            return [QueryVectorIndex(name: "i", expression: "a.v", options: options)]
        }
    }

    private static let call = "APPROX_VECTOR_DISTANCE(a.v, $t)"

    private func checked(_ text: String) throws -> CheckedStatement {
        try QueryStatement(sql: text).checked(against: Catalogue(), text: text)
    }

    private func search(_ call: String) throws -> CheckedVectorSearch {
        let statement = try checked("SELECT n FROM c ORDER BY \(call) LIMIT 5")
        return try #require(statement.vectorSearches.first)
    }

    @Test(arguments: [
        call, "APPROX_VECTOR_DISTANCE(a.v, [1, 2], 'cosine', 3, TRUE)",
    ])
    func `a printed search is parsed to the same search in both forms`(call: String) throws {
        let statement = try QueryStatement(sql: "SELECT \(call) FROM c LIMIT 1")
        #expect(try QueryStatement(sql: statement.sql) == statement)
        #expect(try QueryStatement(json: statement.json) == statement)
        #expect(statement.sql.contains("APPROX_VECTOR_DISTANCE(a.v, "))
    }

    @Test func `the arguments of APPROX_VECTOR_DISTANCE define the search`() throws {
        let plain = try search(Self.call)
        #expect(plain.index == "i")
        #expect(plain.source == 0)
        #expect(plain.target == .parameter("t"))
        #expect(plain.probeCount == nil)
        #expect(!plain.isExact)
        #expect(plain.nearestCount == 5)
        let full = try search("approx_vector_distance(a.v, $t, 'COSINE_distance', 7, false)")
        #expect(full.probeCount == 7)
        let exact = try search("APPROX_VECTOR_DISTANCE(a.v, $t, 'cosine', 7, true)")
        #expect(exact.isExact)
        #expect(exact.nearestCount == 5)
    }

    @Test(arguments: [
        ("euclidean2", QueryVectorMetric.euclideanSquared), ("L2_squared", .euclideanSquared),
        ("euclidean_squared", .euclideanSquared), ("DEFAULT", .euclideanSquared),
        ("euclidean", .euclidean), ("l2", .euclidean), ("dot", .dot),
        ("dot_product_distance", .dot), ("dot_product_similarity", .dot),
    ])
    func `a metric that the index does not have is refused`(
        name: String,
        metric: QueryVectorMetric
    ) throws {
        let error = #expect(throws: QueryError.self) {
            try search("APPROX_VECTOR_DISTANCE(a.v, $t, '\(name)')")
        }
        #expect(error?.code == .invalidQuery)
        #expect(error?.problem.contains(metric.rawValue) == true)
    }

    @Test func `equal searches run once`() throws {
        let statement = try checked(
            "SELECT \(Self.call) AS d FROM c WHERE d < 1 ORDER BY \(Self.call) LIMIT 9"
        )
        #expect(statement.vectorSearches.count == 1)
        #expect(statement.vectorSearches[0].nearestCount == 9)
        let other = "APPROX_VECTOR_DISTANCE(a.v, $u)"
        let two = try checked("SELECT \(other) FROM c ORDER BY \(Self.call) LIMIT 9")
        #expect(two.vectorSearches.count == 2)
        #expect(two.vectorSearches.allSatisfy { $0.nearestCount == nil })
        #expect(two.parameters == ["u", "t"])
    }

    @Test func `rows of a search without ORDER BY are sorted by distance`() throws {
        let statement = try checked("SELECT n FROM c WHERE \(Self.call) < 1 LIMIT 9")
        #expect(statement.orderings == [CheckedOrdering(CheckedKey(.vectorDistance(0)))])
        #expect(statement.vectorSearches[0].nearestCount == 9)
    }

    @Test(arguments: [
        ("WHERE \(call) < 1 ORDER BY \(call) LIMIT 7 OFFSET 3", 10),
        ("WHERE 1 >= \(call) ORDER BY \(call), n LIMIT 7", 7),
        ("WHERE \(call) < $x AND \(call) <= 2 ORDER BY \(call) LIMIT 7", 7),
        ("ORDER BY \(call) LIMIT 0", 0), ("ORDER BY \(call) LIMIT -3", 0),
        (
            "ORDER BY APPROX_VECTOR_DISTANCE(a.v, $t, 'cosine_similarity') DESC LIMIT 4", 4
        ),
    ])
    func `only the nearest documents are read if the query has no other condition`(
        clauses: String,
        count: Int
    ) throws {
        let statement = try checked("SELECT n FROM c \(clauses)")
        #expect(statement.vectorSearches.map(\.nearestCount) == [count])
    }

    @Test(arguments: [
        "WHERE n = 1 ORDER BY \(call)", "WHERE n = 1 ORDER BY \(call) LIMIT $n",
        "WHERE n = 1 ORDER BY \(call) LIMIT 10001", "WHERE n = 1 AND \(call) < 1 LIMIT 5",
        "WHERE \(call) > 1 ORDER BY \(call) LIMIT 5",
        "WHERE EXISTS (SELECT n FROM c) ORDER BY \(call) LIMIT 5",
        "WHERE PREDICTION(m, {'v': a.v}, 'o') = 1 ORDER BY \(call) LIMIT 5",
        "WHERE MATCH(words, 'x') ORDER BY \(call)", "WHERE \(call) < n",
        "ORDER BY \(call) DESC LIMIT 5", "WHERE \(call) < 1 ORDER BY n LIMIT 5",
        "ORDER BY APPROX_VECTOR_DISTANCE(a.v, n) LIMIT 5",
        "AS c JOIN c AS e ON e.n = c.n ORDER BY APPROX_VECTOR_DISTANCE(c.a.v, $t) LIMIT 5",
    ])
    func `all distances are computed if the query has another condition or order`(
        clauses: String
    ) throws {
        let name = clauses.hasPrefix("AS") ? "c.n" : "n"
        let statement = try checked("SELECT \(name) FROM c \(clauses)")
        #expect(statement.vectorSearches.map(\.nearestCount) == [nil])
    }

    @Test(arguments: [
        ("n = 1", 1), ("n = 1 AND \(call) < 0.5 AND s LIKE 'a%'", 2), ("a.v IS VALUED", 1),
        ("META().deleted AND NOT n > $x", 2),
    ])
    func `a limited search tests the conditions of the documents that it finds`(
        conditions: String,
        count: Int
    ) throws {
        let statement = try checked(
            "SELECT n FROM c WHERE \(conditions) ORDER BY \(Self.call) LIMIT 5"
        )
        let search = try #require(statement.vectorSearches.first)
        #expect(search.nearestCount == 5)
        #expect(search.filter?.terms.count == count)
    }

    @Test func `a search does not test a condition on the alias of its distance`() throws {
        for (condition, count) in [("d < 1", 5), ("d > 1", nil), ("d < 1 AND n = 1", 5)] {
            let statement = try checked(
                "SELECT \(Self.call) AS d FROM c WHERE \(condition) ORDER BY d LIMIT 5"
            )
            #expect(statement.vectorSearches.map(\.nearestCount) == [count])
        }
    }

    @Test func `a search in an index expression or a join condition is refused`() throws {
        let expression = try QueryExpression(sql: "APPROX_VECTOR_DISTANCE(a.v, [1])")
        #expect(throws: QueryError.self) { try expression.checked(over: .standard) }
        #expect(throws: QueryError.self) {
            try checked(
                "SELECT c.n FROM c JOIN c AS e ON APPROX_VECTOR_DISTANCE(e.a.v, $t) < 1 LIMIT 1"
            )
        }
    }

    @Test func `the parameters of an index round-trip`() {
        for options in [
            QueryVectorOptions(dimensions: 2, centroidCount: 1, encoding: .float32),
            QueryVectorOptions(
                dimensions: 4096,
                centroidCount: 64_000,
                encoding: .product(subquantizers: 8, bits: 12),
                metric: .dot,
                minTrainingCount: 3,
                maxTrainingCount: 4,
                probeCount: 5,
                isLazy: true
            ),
            QueryVectorOptions(dimensions: 9, centroidCount: 8, encoding: .scalar(bits: 6)),
        ] {
            #expect(QueryVectorOptions(json: options.json) == options)
            #expect(!options.json.contains("'"))
            let index = QueryVectorIndex(name: "n", expression: "a WITH {b", options: options)
            #expect(QueryVectorIndex(name: "n", source: index.source) == index)
        }
        #expect(QueryVectorOptions(json: "{}") == nil)
        #expect(QueryVectorOptions(json: "x") == nil)
        #expect(QueryVectorIndex(name: "n", source: "a") == nil)
    }
}
