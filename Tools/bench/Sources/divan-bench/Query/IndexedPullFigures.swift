import Divan
import Foundation

/// A pull of the documents of `QueryBench` into databases with and without indexes, by turns.
enum IndexedPullFigures {
    private static let turns = 3
    static let indexed = ["price", "unique", "zone", "maker"]

    static func measure(in directory: String, into report: inout Report) throws {
        var configuration = DatabaseConfiguration()
        configuration.directory = directory
        let source = try Database(name: "queries", config: configuration)
        defer { try? source.close() }
        var (plain, kept) = (Double.infinity, Double.infinity)
        for _ in 0..<turns {
            plain = min(plain, try pull(source, configuration, indexes: []))
            kept = min(kept, try pull(source, configuration, indexes: indexed))
        }
        report.add(
            Figure(
                name: "query: pull into \(indexed.count) indexes",
                unit: "docs/s",
                ours: Double(QueryDocuments.count) / kept,
                floor: Double(QueryDocuments.count) / plain,
                floorName: "the same without indexes, local endpoint"
            )
        )
    }

    /// Seconds for all documents.
    private static func pull(
        _ source: Database,
        _ configuration: DatabaseConfiguration,
        indexes: [String]
    ) throws -> Double {
        let target = try Database(name: "pulled", config: configuration)
        try make(indexes, in: target)
        return try SyncOnce.pullSeconds(from: source, into: target)
    }

    /// Makes an index over each of these properties.
    static func make(_ properties: [String], in database: Database) throws {
        let collection = try database.defaultCollection()
        for name in properties {
            try collection.createIndex(withName: name, config: ValueIndexConfiguration([name]))
        }
    }
}
