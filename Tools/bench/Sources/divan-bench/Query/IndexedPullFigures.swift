import CouchbaseLiteSwift
import Foundation

/// A pull of the documents of `QueryBench` into databases with and without indexes, in turns.
enum IndexedPullFigures {
    private static let turns = 3
    static let indexed = ["price", "unique", "zone", "maker"]

    static func measure(in directory: String, into report: inout Report) throws {
        var configuration = DatabaseConfiguration()
        configuration.directory = directory
        let source = try Database(name: "queries", config: configuration)
        defer { try? source.close() }
        let figure = try compare(
            "query: pull into \(indexed.count) indexes",
            of: QueryDocuments.count,
            into: indexed,
            floorName: "the same without indexes, local endpoint"
        ) { try pull(source, configuration, indexes: $0) }
        report.add(figure)
    }

    /// Documents per second with these indexes and without any, the best of several turns.
    ///
    /// `pull` creates the indexes that it is given, and returns the seconds for all documents.
    static func compare(
        _ name: String,
        of count: Int,
        into indexes: [String],
        floorName: String,
        _ pull: ([String]) throws -> Double
    ) throws -> Figure {
        var (plain, kept) = (Double.infinity, Double.infinity)
        for _ in 0..<turns {
            plain = min(plain, try pull([]))
            kept = min(kept, try pull(indexes))
        }
        return Figure(
            name: name,
            unit: "docs/s",
            ours: Double(count) / kept,
            floor: Double(count) / plain,
            floorName: floorName
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

    /// Creates an index on each of these properties.
    static func make(_ properties: [String], in database: Database) throws {
        let collection = try database.defaultCollection()
        for name in properties {
            try collection.createIndex(withName: name, config: ValueIndexConfiguration([name]))
        }
    }
}
