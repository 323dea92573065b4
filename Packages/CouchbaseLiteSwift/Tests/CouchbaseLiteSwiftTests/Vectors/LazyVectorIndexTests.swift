import CouchbaseLiteSwift
import DivanTestKit
import Foundation
import Testing

/// Lazy vector indexes and their updater.
@Suite struct LazyVectorIndexTests {
    private let words: VectorWords
    private let target = VectorWords.vectors(301, 7)[300]

    init() throws {
        words = try VectorWords()
    }

    private func createIndex(
        _ change: (inout VectorIndexConfiguration) -> Void = { _ in }
    ) throws -> QueryIndex {
        var config = VectorIndexConfiguration(
            expression: "text",
            dimensions: UInt32(VectorWords.dimensions),
            centroids: 8
        )
        config.isLazy = true
        change(&config)
        try words.words.createIndex(withName: "lazy", config: config)
        return try #require(try words.words.index(withName: "lazy"))
    }

    private func vector(of text: Any?) throws -> [Float] {
        let text = try #require(text as? String)
        return words.vectors[try #require(Int(text.dropFirst()))]
    }

    private func update(_ index: QueryIndex) throws {
        while let updater = try index.beginUpdate(limit: 70) {
            for number in 0..<updater.count {
                try updater.setVector(vector(of: updater.value(at: number)), at: number)
            }
            try updater.finish()
        }
    }

    private func nearest(_ count: Int) throws -> [(id: String, distance: Double)] {
        let distance = "APPROX_VECTOR_DISTANCE(text, $target)"
        return try words.rows(
            "SELECT META().id, \(distance) FROM words ORDER BY \(distance) LIMIT \(count)",
            target
        )
    }

    @Test(arguments: [VectorEncoding.none, .scalarQuantizer(type: .SQ8)])
    func `an updated index finds the true neighbours, also after training`(
        encoding: VectorEncoding
    ) throws {
        let index = try createIndex { $0.encoding = encoding }
        #expect(try nearest(5).isEmpty)
        try update(index)
        for _ in 0..<2 {
            let found = try nearest(10)
            let expected = words.exact(10, to: target)
            #expect(found.map(\.id) == expected.map(\.id))
            for (found, expected) in zip(found, expected) {
                #expect(abs(found.distance - expected.distance) < 1e-4)
            }
        }
        #expect(try index.isTrained())
        #expect(try index.beginUpdate(limit: 1) == nil)
        try words.database.performMaintenance(type: .integrityCheck)
    }

    @Test func `an updater returns values in the order in which they were saved`() throws {
        let index = try createIndex()
        let updater = try #require(try index.beginUpdate(limit: 3))
        #expect(updater.count == 3)
        #expect(updater.string(at: 1) == "w1")
        #expect(updater[2].string == "w2")
        #expect(updater.map { $0 as? String } == ["w0", "w1", "w2"])
        #expect(updater.toArray() as? [String] == ["w0", "w1", "w2"])
        #expect(updater.toJSON() == #"["w0","w1","w2"]"#)
        #expect(updater.int(at: 0) == 0)
        #expect(updater.number(at: 0) == nil)
    }

    @Test func `an updater contains only documents whose expression has a value`() throws {
        for number in 0..<298 {
            try words.words.purge(id: "word\(number)")
        }
        let missing = MutableDocument(id: "missing", data: ["number": 1])
        try words.words.save(document: missing)
        let null = MutableDocument(id: "null", data: ["text": NSNull()])
        try words.words.save(document: null)
        let updater = try #require(try createIndex().beginUpdate(limit: 10))
        #expect(updater.count == 3)
        #expect(updater.value(at: 2) is NSNull)
    }

    @Test func `misuse of an updater is refused`() throws {
        let index = try createIndex()
        expect(CBLError.invalidParameter) { _ = try index.beginUpdate(limit: 0) }
        let updater = try #require(try index.beginUpdate(limit: 2))
        expect(CBLError.invalidParameter) { try updater.setVector([1, 2], at: 0) }
        expect(CBLError.invalidParameter) {
            try updater.setVector([Float](repeating: .nan, count: 16), at: 0)
        }
        try updater.setVector(target, at: 0)
        expect(CBLError.unsupported) { try updater.finish() }
        updater.skipVector(at: 1)
        try updater.finish()
        expect(CBLError.unsupported) { try updater.finish() }
        expect(CBLError.unsupported) { try updater.setVector(nil, at: 0) }
        try words.createIndex()
        let other = try #require(try words.words.index(withName: "words_index"))
        expect(CBLError.unsupported) { _ = try other.beginUpdate(limit: 1) }
        try words.words.createIndex(withName: "v", config: ValueIndexConfiguration(["text"]))
        let value = try #require(try words.words.index(withName: "v"))
        expect(CBLError.unsupported) { _ = try value.beginUpdate(limit: 1) }
    }

    @Test func `skipped values are returned again, and without finish nothing changes`() throws {
        let index = try createIndex()
        let first = try #require(try index.beginUpdate(limit: 2))
        try first.setVector(target, at: 0)
        #expect(try nearest(5).isEmpty)
        let second = try #require(try index.beginUpdate(limit: 2))
        try second.setVector(target, at: 0)
        second.skipVector(at: 1)
        try second.finish()
        #expect(try nearest(5).map(\.id) == ["word0"])
        let third = try #require(try index.beginUpdate(limit: 2))
        #expect(third.toArray() as? [String] == ["w1", "w2"])
    }

    @Test func `setting a nil vector removes the earlier vector`() throws {
        let index = try createIndex()
        try update(index)
        let best = try nearest(1)[0].id
        let document = try #require(try words.words.document(id: best)).toMutable()
        document.setString("w0", forKey: "text")
        try words.words.save(document: document)
        // The old vector stays until the index is updated.
        #expect(try nearest(1)[0].id == best)
        let updater = try #require(try index.beginUpdate(limit: 10))
        #expect(updater.toArray() as? [String] == ["w0"])
        try updater.setVector(nil, at: 0)
        try updater.finish()
        #expect(try nearest(1)[0].id != best)
        #expect(try index.beginUpdate(limit: 10) == nil)
    }

    @Test func `vectors of documents that changed in the meantime are ignored`() throws {
        let index = try createIndex()
        let updater = try #require(try index.beginUpdate(limit: 3))
        for number in 0..<3 { try updater.setVector(target, at: number) }
        let document = try #require(try words.words.document(id: "word0")).toMutable()
        document.setString("w99", forKey: "text")
        try words.words.save(document: document)
        try words.words.delete(document: try #require(try words.words.document(id: "word1")))
        try updater.finish()
        #expect(try nearest(5).map(\.id) == ["word2"])
        try update(index)
        #expect(try nearest(300).count == 299)
    }

    @Test func `deletions and purges are removed from a lazy index without an update`() throws {
        let index = try createIndex()
        try update(index)
        let best = try nearest(2).map(\.id)
        try words.words.delete(document: try #require(try words.words.document(id: best[0])))
        try words.words.purge(id: best[1])
        #expect(try Set(nearest(5).map(\.id)).isDisjoint(with: best))
        #expect(try index.beginUpdate(limit: 5) == nil)
    }

    @Test(.timeLimit(.minutes(5)))
    func `a live search notices that the vectors of a lazy index were updated`() async throws {
        let index = try createIndex()
        let query = try words.database.createQuery(
            "SELECT META().id FROM words ORDER BY APPROX_VECTOR_DISTANCE(text, $target) LIMIT 5"
        )
        query.parameters = Parameters().setValue(target, forName: "target")
        var changes = query.changes().makeAsyncIterator()
        #expect(try await changes.next()?.results?.allResults().isEmpty == true)
        try update(index)
        let expected = words.exact(5, to: target).map(\.id)
        while let change = try await changes.next(),
            change.results?.allResults().map({ $0.string(at: 0) }) != expected
        {}
    }
}
