import CouchbaseLiteSwift
import DivanTestKit
import Foundation
import Synchronization
import Testing

/// Live queries only rerun when a commit can matter; these tests check that none is missed.
@Suite(.timeLimit(.minutes(5))) struct LiveQueryOrderTests {
    /// Queries whose last row, or value, shows that the last save was seen.
    private static let statements = [
        "SELECT META().id, n FROM _ WHERE n > 3 ORDER BY n",
        "SELECT META().id FROM _ WHERE n = 99 OR kind = 'a' ORDER BY META().id",
        "SELECT n FROM _ WHERE n IS NOT MISSING ORDER BY n DESC LIMIT 3",
        "SELECT META().id FROM _ WHERE n > 2 ORDER BY n DESC, META().id LIMIT 2 OFFSET 1",
        "SELECT COUNT(*) AS c, MAX(n) AS most FROM _ WHERE n > 3",
        "SELECT kind, MAX(n) AS most FROM _ GROUP BY kind ORDER BY kind",
        "SELECT DISTINCT n FROM _ WHERE n > 1 ORDER BY n",
        "SELECT META(a).id FROM _ AS a JOIN _ AS b ON a.n = b.n WHERE b.kind = 'z' ORDER BY a.n",
        "SELECT t FROM _ AS d UNNEST d.tags AS t WHERE t > 3 ORDER BY t",
        "SELECT n FROM _ ORDER BY APPROX_VECTOR_DISTANCE(v, [9, 9]), META().id LIMIT 3",
        "SELECT n FROM _ WHERE n > 2 ORDER BY APPROX_VECTOR_DISTANCE(v, [9, 9]), META().id LIMIT 2",
        "SELECT META().id FROM _ WHERE n = $wanted ORDER BY META().id",
    ]

    @Test func `the last result reported by a live query is the current result`() async throws {
        let seed = TestSeed.choose()
        print("seed: \(seed)")
        var random = SeededGenerator(seed: seed)
        let directory = try TemporaryDirectory()
        var configuration = DatabaseConfiguration()
        configuration.directory = directory.path
        let database = try Database(name: "live", config: configuration)
        let collection = try database.defaultCollection()
        let vectors = VectorIndexConfiguration(expression: "v", dimensions: 2, centroids: 2)
        try collection.createIndex(withName: "near", config: vectors)
        for round in 0..<3 {
            let queries = try Self.statements.map { try database.createQuery($0) }
            queries.last?.parameters = Parameters().setInt(99, forName: "wanted")
            let streams = queries.map { $0.changes() }
            for number in 0..<40 {
                try change(collection, number == 39 ? nil : round, &random)
                if number % 10 == 0 { await Task.yield() }
            }
            for (query, stream) in zip(queries, streams) {
                let expected = try query.execute().allResults().map { $0.toJSON() }
                for try await change in stream
                where change.results?.allResults().map({ $0.toJSON() }) == expected { break }
            }
        }
        try database.close()
    }

    /// Saves, deletes or purges a document; if `round` is `nil`, saves one that affects every query.
    private func change(
        _ collection: CouchbaseLiteSwift.Collection,
        _ round: Int?,
        _ random: inout SeededGenerator
    ) throws {
        let id = "d\(Int.random(in: 0..<12, using: &random))"
        guard round != nil else {
            let data: [String: Any] = ["n": 99, "kind": "z", "tags": [99], "v": [9, 9]]
            return try collection.save(document: MutableDocument(id: "last\(id)", data: data))
        }
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
            if let document = try collection.document(id: id) {
                try collection.delete(document: document)
            }
        case 1 where try collection.document(id: id) != nil: try collection.purge(id: id)
        default:
            let document = try collection.document(id: id)?.toMutable() ?? MutableDocument(id: id)
            document.setInt(Int.random(in: 0..<8, using: &random), forKey: "n")
            document.setString(["a", "b"].randomElement(using: &random), forKey: "kind")
            document.setArray(
                MutableArrayObject(data: [Int.random(in: 0..<8, using: &random), 5]),
                forKey: "tags"
            )
            let vector = [Int.random(in: 0..<9, using: &random), 9]
            document.setArray(MutableArrayObject(data: vector), forKey: "v")
            try collection.save(document: document)
        }
    }
}
