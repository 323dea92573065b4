import Divan
import Foundation
import Testing

/// Functions that queries call, and vectors that the program computes.
@Suite struct PredictionTests {
    private let disk: DiskDatabase
    private let chairs: DocumentCollection

    init() throws {
        disk = try DiskDatabase()
        chairs = try disk.database.collection("chairs")
        for (id, story) in [("bern", "I love it"), ("oslo", "It squeaks"), ("porto", "Blue")] {
            try chairs.save(Document(id: id, ["story": story]))
        }
    }

    /// A vector that depends on a text: its length and its first character.
    private static func vector(_ text: DocumentValue) -> [Float]? {
        guard let text = text.string, let first = text.utf8.first else { return nil }
        return [Float(text.utf8.count), Float(first)]
    }

    @Test func `a query and an index use the output of a function`() throws {
        Database.registerPrediction("mood-test") { input in
            guard let text = input["text"]?.string, text != "Blue" else { return nil }
            return ["mood": text.contains("love") ? "happy" : "neutral", "size": .init(text.count)]
        }
        defer { Database.removePrediction("mood-test") }
        let mood = "PREDICTION(`mood-test`, {'text': story}).mood"
        let query = "SELECT META().id FROM chairs WHERE \(mood) = 'happy'"
        #expect(try disk.database.query(query).values(as: String.self) == ["bern"])
        try chairs.createIndex("byMood", .values(mood))
        #expect(try disk.database.query(query).values(as: String.self) == ["bern"])
        let absent = "SELECT META().id FROM chairs WHERE \(mood) IS MISSING"
        #expect(try disk.database.query(absent).values(as: String.self) == ["porto"])
    }

    @Test func `a function receives blobs, and other outputs than objects are missing`() throws {
        Database.registerPrediction("size-test") { input in
            guard let picture = input["picture"]?.blob, let bytes = try? picture.data() else {
                return "no picture"
            }
            return ["bytes": .init(bytes.count)]
        }
        defer { Database.removePrediction("size-test") }
        try chairs.save(Document(id: "riga", ["photo": Blob(Data(count: 7))]))
        let rows = try disk.database.query(
            "SELECT PREDICTION(`size-test`, {'picture': photo}).bytes AS n FROM chairs ORDER BY META().id"
        )
        #expect(rows.map { $0["n"]?.int } == [nil, nil, nil, 7])
    }

    @Test func `vectors of a lazy index are computed in batches`() throws {
        try chairs.createIndex(
            "meaning",
            .vectors("story", dimensions: 2, centroids: 1, isLazy: true)
        )
        try chairs.save(Document(id: "empty", ["story": ""]))
        var batches: [Int] = []
        let count = try chairs.updateVectors(of: "meaning", batch: 3) { values in
            batches.append(values.count)
            return values.map(Self.vector)
        }
        #expect(count == 4)
        #expect(batches == [3, 1])
        let near = try chairs.nearest(to: [9, 73], in: "story", limit: 9)
        #expect(near.map(\.document.id) == ["bern", "oslo", "porto"])
        #expect(near.first?.distance == 0)
        // Only changed documents are passed again.
        try chairs.save(Document(id: "oslo", ["story": "Blue"]))
        var again: [String?] = []
        try chairs.updateVectors(of: "meaning") { values in
            again += values.map(\.string)
            return values.map(Self.vector)
        }
        #expect(again == ["Blue"])
        #expect(try chairs.updateVectors(of: "meaning") { _ in [] } == 0)
    }

    @Test func `vectors are computed asynchronously`() async throws {
        try await chairs.createIndex(
            "meaning",
            .vectors("story", dimensions: 2, centroids: 1, isLazy: true)
        )
        let count = try await chairs.updateVectors(of: "meaning", batch: 2) { values in
            await Task.yield()
            return values.map(Self.vector)
        }
        #expect(count == 3)
        #expect(
            try await chairs.nearest(to: [4, 66], in: "story", limit: 1).first?.document.id
                == "porto"
        )
    }

    @Test func `a cancelled update stores nothing of its last batch`() async throws {
        try await chairs.createIndex(
            "meaning",
            .vectors("story", dimensions: 2, centroids: 1, isLazy: true)
        )
        let chairs = chairs
        let update = Task {
            try await chairs.updateVectors(of: "meaning", batch: 1) { values in
                withUnsafeCurrentTask { $0?.cancel() }
                return values.map(Self.vector)
            }
        }
        let end = await update.result
        expect(.cancelled) { _ = try end.get() }
        #expect(try await chairs.updateVectors(of: "meaning") { $0.map(Self.vector) } == 3)
    }

    @Test func `unsuitable indexes and vectors are refused`() throws {
        try chairs.createIndex("byStory", .values("story"))
        try chairs.createIndex(
            "meaning",
            .vectors("story", dimensions: 2, centroids: 1, isLazy: true)
        )
        expect(.missingIndex) { try chairs.updateVectors(of: "none") { _ in [] } }
        expect(.unsupported) { try chairs.updateVectors(of: "byStory") { _ in [] } }
        expect(.invalidArgument) { try chairs.updateVectors(of: "meaning", batch: 0) { _ in [] } }
        expect(.invalidArgument) { try chairs.updateVectors(of: "meaning") { _ in [] } }
        expect(.invalidArgument) {
            try chairs.updateVectors(of: "meaning") { $0.map { _ in [1, 2, 3] } }
        }
        expect(.invalidArgument) {
            try chairs.updateVectors(of: "meaning") { $0.map { _ in [1, .nan] } }
        }
        struct Failure: Error {}
        #expect(throws: Failure.self) {
            try chairs.updateVectors(of: "meaning") { _ in throw Failure() }
        }
    }
}
