import DivanDatabase
import DivanJSON
import DivanQuery
import DivanRevisions
import DivanSQLiteEngine
import DivanTestKit
import Testing

/// What the plan of a query says about its vector search.
@Suite("Plans of vector searches") struct VectorPlanTests {
    private static let byDistance = "ORDER BY APPROX_VECTOR_DISTANCE(v, [1, 2]"

    private let room: StoreFixture

    init() throws { room = try StoreFixture(.file) }

    private func save(_ count: Int) throws {
        try room.store.write { writer in
            for number in 0..<count {
                let body = #"{"n":\#(number),"v":[\#(number % 101),\#(number % 89)]}"#
                let id = DocumentID(unchecked: "d\(number)")
                _ = try writer.save(id, in: .default, body: Array(body.utf8))
            }
        }
    }

    private func createIndexes(probes: Int = 0) throws {
        let options = QueryVectorOptions(dimensions: 2, centroidCount: 8, probeCount: probes)
        let source = QueryVectorIndex(name: "near", expression: "v", options: options).source
        let (vector, number) = try (
            QueryExpression(sql: "v").checked(over: .standard),
            QueryExpression(sql: "n").checkedKey(over: .standard)
        )
        try room.store.write { writer in
            try writer.createIndex("near", .vector(vector, options), source: source, in: .default)
            try writer.createIndex("byNumber", .value([number], filter: nil), in: .default)
        }
        try room.store.trainVectorIndex("near", in: .default)
    }

    private func plan(_ end: String) throws -> QueryPlan {
        let sql = "SELECT n FROM _ \(end)"
        let catalogue = StoreCatalogue(room.store, named: "room")
        let statement = try QueryStatement(sql: sql).checked(against: catalogue, text: sql)
        return try room.store.plan(of: StorageQuery(statement))
    }

    private func search(_ end: String) throws -> String? {
        try plan(end).steps.first?.text
    }

    @Test func `a plan says how many centroids a search reads, and whether it is exact`() throws {
        try save(200)
        try createIndexes()
        let found = "kv_default:vector:near AS sk0 FOR 3 NEAREST"
        #expect(
            try search("\(Self.byDistance)) LIMIT 3")
                == "SEARCH \(found) (approximate, 8 of 8 centroids)"
        )
        #expect(
            try search("\(Self.byDistance), 'default', 5) LIMIT 3")
                == "SEARCH \(found) (approximate, 5 of 8 centroids)"
        )
        #expect(
            try search("\(Self.byDistance), 'default', 50) LIMIT 3")
                == "SEARCH \(found) (approximate, 8 of 8 centroids)"
        )
        #expect(
            try search("\(Self.byDistance), 'default', 5, TRUE) LIMIT 3")
                == "SCAN \(found) (exact, all 8 centroids)"
        )
        try createIndexes(probes: 2)
        #expect(
            try search("\(Self.byDistance)) LIMIT 3")
                == "SEARCH \(found) (approximate, 2 of 8 centroids)"
        )
        #expect(try plan("\(Self.byDistance)) LIMIT 3").indexes == ["near"])
    }

    @Test func `a plan says that an untrained index is scanned`() throws {
        try save(199)
        try createIndexes()
        #expect(
            try search("\(Self.byDistance)) LIMIT 3")
                == "SCAN kv_default:vector:near AS sk0 FOR 3 NEAREST"
                + " (exact, the index is not trained)"
        )
    }

    @Test func `a plan says when a search tests the other conditions`() throws {
        try save(200)
        try createIndexes()
        let few = try plan("WHERE n < 9 \(Self.byDistance)) LIMIT 3")
        let first = "FILTER FIRST IF AT MOST 1000 DOCUMENTS MATCH, EXACT DISTANCE OF EACH"
        #expect(
            few.steps.prefix(4).map(\.text) == [
                "SEARCH kv_default:vector:near AS sk0 FOR 3 NEAREST (exact, all 8 centroids)",
                first,
                "SEARCH _default AS s0 USING INDEX byNumber (<expr><?)",
                "OTHERWISE FILTER DURING THE SEARCH",
            ]
        )
        #expect(few.indexes == ["near", "byNumber"])
        let search = few.steps[0]
        #expect(few.steps[1].parent == search.id && few.steps[3].parent == search.id)
        #expect(few.steps[2].parent == few.steps[1].id)
        #expect(Set(few.steps.map(\.id)).count == few.steps.count)

        let during = try plan("WHERE n % 2 = 0 \(Self.byDistance)) LIMIT 3").steps
        #expect(during[1].text == "FILTER DURING THE SEARCH" && during[1].parent == during[0].id)
        #expect(!during.contains { $0.text == first })
    }

    @Test func `a plan says that the distance of each row is exact without a search`() throws {
        try save(200)
        try createIndexes()
        let steps = try plan("WHERE n < 9 \(Self.byDistance))").steps.map(\.text)
        #expect(
            steps.prefix(2) == [
                "SEARCH _default AS s0 USING INDEX byNumber (<expr><?)",
                "SEARCH kv_default:vector:near AS sn0 USING INTEGER PRIMARY KEY (rowid=?),"
                    + " EXACT DISTANCE OF EACH ROW",
            ]
        )
    }

    /// With more than 10,000 vectors, the index measures how many centroids suffice.
    @Test func `a plan of a filtered search of a large index shows the least number of centroids`()
        throws
    {
        try save(10_100)
        try createIndexes()
        let plain = try #require(try search("\(Self.byDistance)) LIMIT 3"))
        let count = try #require(plain.split(separator: ",").last?.split(separator: " ").first)
        #expect(try #require(Int(count)) < 8, "\(plain)")
        #expect(plain.hasSuffix("(approximate, \(count) of 8 centroids)"))
        let filtered = try search("WHERE n % 2 = 0 \(Self.byDistance)) LIMIT 3")
        #expect(filtered?.hasSuffix("(approximate, at least \(count) of 8 centroids)") == true)
    }
}
