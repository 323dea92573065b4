import CouchbaseLiteSwift
import DivanTestKit
import Foundation
import Testing

/// Vector indexes: their configuration, and what documents contribute.
@Suite struct VectorIndexTests {
    private let target = VectorWords.vectors(301, 7)[300]

    @Test func `a configuration has the official defaults`() throws {
        try Extension.enableVectorSearch()
        let config = VectorIndexConfiguration(expression: "v", dimensions: 3, centroids: 2)
        #expect(config.expression == "v")
        #expect(config.dimensions == 3)
        #expect(config.centroids == 2)
        #expect(!config.isLazy)
        #expect(config.encoding == .scalarQuantizer(type: .SQ8))
        #expect(config.metric == .euclideanSquared)
        #expect(config.minTrainingSize == 0)
        #expect(config.maxTrainingSize == 0)
        #expect(config.numProbes == 0)
    }

    @Test(arguments: [
        VectorIndexConfiguration(expression: "v", dimensions: 1, centroids: 8),
        VectorIndexConfiguration(expression: "v", dimensions: 4097, centroids: 8),
        VectorIndexConfiguration(expression: "v", dimensions: 8, centroids: 0),
        VectorIndexConfiguration(expression: "v", dimensions: 8, centroids: 64_001),
        VectorWords.config { $0.encoding = .productQuantizer(subquantizers: 1, bits: 8) },
        VectorWords.config { $0.encoding = .productQuantizer(subquantizers: 3, bits: 8) },
        VectorWords.config { $0.encoding = .productQuantizer(subquantizers: 4, bits: 3) },
        VectorWords.config { $0.encoding = .productQuantizer(subquantizers: 4, bits: 13) },
        VectorWords.config { ($0.minTrainingSize, $0.maxTrainingSize) = (300, 200) },
        VectorWords.config { $0.numProbes = 9 },
    ])
    func `a parameter outside its range is refused`(config: VectorIndexConfiguration) throws {
        let words = try VectorWords(count: 1)
        expect(CBLError.invalidParameter) {
            try words.words.createIndex(withName: "i", config: config)
        }
        #expect(try words.words.indexes().isEmpty)
    }

    @Test func `parameters at the ends of their ranges are accepted`() throws {
        let words = try VectorWords(count: 1)
        for (dimensions, centroids) in [(2, 1), (4096, 64_000)] as [(UInt32, UInt32)] {
            let config = VectorIndexConfiguration(
                expression: "v",
                dimensions: dimensions,
                centroids: centroids
            )
            try words.words.createIndex(withName: "i\(dimensions)", config: config)
        }
        #expect(try words.words.indexes() == ["i2", "i4096"])
    }

    @Test func `the same index is kept, a different one replaces it, and it can be deleted`() throws
    {
        let words = try VectorWords()
        try words.createIndex()
        _ = try words.nearest(3, to: target)
        #expect(try words.words.index(withName: "words_index")?.isTrained() == true)
        try words.createIndex()
        #expect(try words.words.index(withName: "words_index")?.isTrained() == true)
        try words.createIndex { $0.metric = .cosine }
        #expect(try words.words.index(withName: "words_index")?.isTrained() == false)
        let found = try words.nearest(3, to: target, ", 'cosine'")
        #expect(found.map(\.id) == words.exact(3, to: target, .cosine).map(\.id))
        try words.words.deleteIndex(forName: "words_index")
        #expect(try words.words.indexes().isEmpty)
        expect(CBLError.missingIndex) { _ = try words.nearest(3, to: target) }
    }

    @Test func `documents without a valid vector are not in the index`() throws {
        let words = try VectorWords(count: 20)
        let half = Array(words.vectors[0].prefix(8)).map { NSNumber(value: $0) }
        let invalid: [Any?] = [
            nil, NSNull(), half, "no base64", "AAAA", 7, ["a": 1],
            words.vectors[0].map { "\($0)" }, words.vectors[0].map { _ in NSNull() },
            VectorWords.base64(Array(words.vectors[0].prefix(15))), [Any](),
        ]
        for (number, value) in invalid.enumerated() { try words.save(number, value) }
        try words.createIndex()
        let expected = Set((invalid.count..<20).map { "word\($0)" })
        #expect(Set(try words.nearest(50, to: target).map(\.id)) == expected)
        for (number, value) in invalid.enumerated() {
            try words.save(19, value ?? NSNull())
            #expect(try words.nearest(50, to: target).count == 8, "\(number)")
        }
    }

    @Test func `vectors in Base64 are indexed like arrays`() throws {
        let words = try VectorWords()
        try words.createIndex()
        let expected = try words.nearest(10, to: target)
        for (number, vector) in words.vectors.enumerated() {
            try words.save(number, VectorWords.base64(vector))
        }
        let found = try words.nearest(10, to: target)
        #expect(found.map(\.id) == expected.map(\.id))
        let sql = """
            SELECT META().id FROM words
            ORDER BY APPROX_VECTOR_DISTANCE(vector, '\(VectorWords.base64(target))') LIMIT 10
            """
        #expect(try words.rows(sql).map(\.id) == expected.map(\.id))
    }

    @Test(arguments: [false, true])
    func `saves, deletions, purges and expirations update the index`(isTrained: Bool) throws {
        let words = try VectorWords()
        try words.createIndex { if !isTrained { $0.minTrainingSize = 1_000 } }
        let first = try words.nearest(4, to: target).map(\.id)
        #expect(try words.words.index(withName: "words_index")?.isTrained() == isTrained)
        func document(_ id: String) throws -> Document {
            try #require(try words.words.document(id: id))
        }
        try words.words.delete(document: document(first[0]))
        try words.words.purge(document: document(first[1]))
        let gone = try document(first[2]).toMutable()
        gone.setValue(NSNull(), forKey: "vector")
        try words.words.save(document: gone)
        #expect(try words.nearest(1, to: target).map(\.id) == [first[3]])
        try words.words.setDocumentExpiration(
            id: first[3],
            expiration: Date(timeIntervalSince1970: 1)
        )
        try words.save(500, target.map { NSNumber(value: $0) })
        let latest = try words.nearest(1, to: target)
        #expect(latest.map(\.id) == ["word500"])
        #expect(latest[0].distance == 0)
        // A save that leaves the vector alone leaves the document in the index.
        let kept = try document("word500").toMutable()
        kept.setString("other", forKey: "text")
        try words.words.save(document: kept)
        #expect(try words.nearest(1, to: target).map(\.id) == ["word500"])
        try words.database.performMaintenance(type: .integrityCheck)
    }

    @Test func `a query in a batch finds the documents that the batch saved`() throws {
        let words = try VectorWords(count: 50)
        try words.createIndex()
        try words.database.inBatch {
            try words.save(99, target.map { NSNumber(value: $0) })
            #expect(try words.nearest(1, to: target).map(\.id) == ["word99"])
        }
    }

    @Test func `an index survives closing, reindexing, compacting and an integrity check`() throws {
        let words = try VectorWords()
        try words.createIndex { $0.encoding = .scalarQuantizer(type: .SQ4) }
        let expected = try words.nearest(10, to: target).map(\.id)
        try words.database.close()
        let database = try words.home.reopened()
        func ids() throws -> [String?] {
            let query = try database.createQuery(
                """
                SELECT META().id FROM words
                ORDER BY APPROX_VECTOR_DISTANCE(vector, $target) LIMIT 10
                """
            )
            query.parameters = Parameters().setValue(target, forName: "target")
            return try query.execute().map { $0.string(at: 0) }
        }
        let index = try #require(
            try database.collection(name: "words")?.index(withName: "words_index")
        )
        #expect(try index.isTrained())
        #expect(try ids() == expected)
        try database.performMaintenance(type: .compact)
        #expect(try ids() == expected)
        try database.performMaintenance(type: .reindex)
        #expect(try !index.isTrained())
        #expect(try ids() == expected)
        try database.performMaintenance(type: .integrityCheck)
    }

    @Test func `vectors in memory are compared without training`() throws {
        let database = try Database.inMemory(name: "memory")
        let words = try database.createCollection(name: "words")
        let vectors = VectorWords.vectors(40)
        for (number, vector) in vectors.enumerated() {
            try VectorWords.save(number, vector.map { NSNumber(value: $0) }, in: words)
        }
        try words.createIndex(withName: "i", config: VectorWords.config(centroids: 1))
        let query = try database.createQuery(
            "SELECT META().id FROM words ORDER BY APPROX_VECTOR_DISTANCE(vector, $target) LIMIT 1"
        )
        query.parameters = Parameters().setValue(vectors[17], forName: "target")
        #expect(try query.execute().map { $0.string(at: 0) } == ["word17"])
        #expect(try words.index(withName: "i")?.isTrained() == false)
    }

    @Test func `extreme or invalid vectors do not trap and do not affect other results`() throws {
        let words = try VectorWords(count: 250)
        try words.createIndex { $0.metric = .cosine }
        let count = VectorWords.dimensions
        let hostile: [Any] = [
            [Double](repeating: 1e300, count: count), [Double](repeating: 0, count: count),
            [Double](repeating: 3e38, count: count), [Double](repeating: 1e-45, count: count),
            [Int](repeating: .max, count: count), [Double](repeating: 1, count: 100_000),
            String(repeating: "A", count: 1_000_000), [[1.0]], [true], "=", "",
        ]
        for (number, value) in hostile.enumerated() { try words.save(900 + number, value) }
        let expected = words.exact(5, to: target, .cosine)
        for _ in 0..<2 {
            let found = try words.nearest(5, to: target, ", 'cosine'")
            #expect(found.map(\.id) == expected.map(\.id))
        }
        let zeros = [Float](repeating: 0, count: count)
        let far = try words.nearest(3, to: zeros, ", 'cosine'")
        #expect(far.allSatisfy { $0.distance == 1 })
        try words.database.performMaintenance(type: .integrityCheck)
    }
}
