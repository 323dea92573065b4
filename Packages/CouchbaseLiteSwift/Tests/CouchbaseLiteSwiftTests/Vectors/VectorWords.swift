import CouchbaseLiteSwift
import DivanTestKit
import Foundation
import Testing

/// A database with 300 words, each with a vector near one of eight centres.
struct VectorWords {
    static let dimensions = 16
    static let count = 300

    let home: TemporaryDatabase
    let words: CouchbaseLiteSwift.Collection
    let vectors: [[Float]]

    var database: Database { home.database }

    init(count: Int = Self.count, seed: UInt64 = 7) throws {
        let home = try TemporaryDatabase()
        try self.init(in: home, count: count, seed: seed)
    }

    private init(in home: TemporaryDatabase, count: Int, seed: UInt64) throws {
        self.home = home
        let words = try home.database.createCollection(name: "words")
        let vectors = Self.vectors(count, seed)
        self.words = words
        self.vectors = vectors
        try home.database.inBatch {
            for (number, vector) in vectors.enumerated() {
                try Self.save(number, vector, in: words)
            }
        }
    }

    /// Vectors around eight centres.
    static func vectors(_ count: Int, _ seed: UInt64 = 7) -> [[Float]] {
        var generator = SeededGenerator(seed: seed)
        let centres = (0..<8).map { _ in
            (0..<dimensions).map { _ in Float.random(in: -1...1, using: &generator) }
        }
        return (0..<count).map { number in
            centres[number % 8].map { $0 + Float.random(in: -0.3...0.3, using: &generator) }
        }
    }

    static func save(_ number: Int, _ vector: Any?, in words: CouchbaseLiteSwift.Collection) throws
    {
        let id = "word\(number)"
        let document = try words.document(id: id)?.toMutable() ?? MutableDocument(id: id)
        document.setInt(number, forKey: "number")
        document.setInt(number % 10, forKey: "group")
        document.setString("w\(number)", forKey: "text")
        document.setValue(vector, forKey: "vector")
        try words.save(document: document)
    }

    func save(_ number: Int, _ vector: Any?) throws {
        try Self.save(number, vector, in: words)
    }

    static func config(
        centroids: UInt32 = 8,
        _ change: (inout VectorIndexConfiguration) -> Void = { _ in }
    ) -> VectorIndexConfiguration {
        var config = VectorIndexConfiguration(
            expression: "vector",
            dimensions: UInt32(dimensions),
            centroids: centroids
        )
        change(&config)
        return config
    }

    func createIndex(_ change: (inout VectorIndexConfiguration) -> Void = { _ in }) throws {
        try words.createIndex(withName: "words_index", config: Self.config(change))
    }

    /// The IDs and the values of the second column, if there is one.
    func rows(
        _ sql: String,
        _ target: Any? = nil
    ) throws -> [(id: String, distance: Double)] {
        let query = try database.createQuery(sql)
        if let target {
            let parameters = Parameters()
            parameters.setValue(target, forName: "target")
            query.parameters = parameters
        }
        return try query.execute().map { row in
            (row.string(at: 0) ?? "", row.count > 1 ? row.double(at: 1) : 0)
        }
    }

    /// The nearest words by the index.
    func nearest(
        _ count: Int,
        to target: [Float],
        _ options: String = ""
    ) throws -> [(id: String, distance: Double)] {
        let distance = "APPROX_VECTOR_DISTANCE(vector, $target\(options))"
        return try rows(
            "SELECT META().id, \(distance) FROM words ORDER BY \(distance) LIMIT \(count)",
            target
        )
    }

    /// The nearest words by comparing all.
    func exact(
        _ count: Int,
        to target: [Float],
        _ metric: DistanceMetric = .euclideanSquared
    ) -> [(id: String, distance: Double)] {
        Array(
            vectors.enumerated()
                .map { ("word\($0)", Self.distance($1, target, metric)) }
                .sorted { $0.1 < $1.1 }
                .prefix(count)
        )
    }

    static func distance(_ one: [Float], _ other: [Float], _ metric: DistanceMetric) -> Double {
        let pairs = zip(one, other).map { (Double($0), Double($1)) }
        let product = pairs.reduce(0) { $0 + $1.0 * $1.1 }
        let square = pairs.reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
        switch metric {
        case .euclideanSquared: return square
        case .euclidean: return square.squareRoot()
        case .dot: return -product
        case .cosine:
            let lengths = pairs.reduce((0, 0)) { ($0.0 + $1.0 * $1.0, $0.1 + $1.1 * $1.1) }
            return 1 - product / (lengths.0 * lengths.1).squareRoot()
        }
    }

    static func base64(_ vector: [Float]) -> String {
        Data(vector.flatMap { withUnsafeBytes(of: $0.bitPattern.littleEndian) { Array($0) } })
            .base64EncodedString()
    }
}
