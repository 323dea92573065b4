import CDivanFloors
import DivanDatabase

/// Pull and push of whole databases between two processes, compared with a skeleton in C that does only
/// the unavoidable steps.
enum SyncFigures {
    /// One line of the table.
    private struct Row {
        var name: String
        var shape = DocumentShape.routes
        var count = 100_000
        var compression = PeerCommand.Compression.none
        var isPush = false

        var floorLevel: Int32 { compression == .none ? 0 : 6 }
    }

    private static let rows = [
        Row(name: "pull 1.2 KB"),
        Row(name: "pull 1.2 KB, deflate -6", count: 50_000, compression: .deflate),
        Row(name: "pull 1.2 KB, ISA-L", count: 50_000, compression: .fastDeflate),
        Row(name: "pull 1.2 KB, LZ4", count: 50_000, compression: .lz4),
        Row(name: "pull 199 B", shape: .airlines),
        Row(name: "pull 5.6 KB", shape: .hotels, count: 30_000),
        Row(name: "push 1.2 KB", isPush: true),
    ]

    static func measure(_ workplace: BenchContext, into report: inout Report) throws {
        var floors: [String: Double] = [:]
        for row in rows {
            let key = "\(row.shape) \(row.floorLevel) \(row.isPush)"
            let floor = try floors[key] ?? floor(row, workplace)
            floors[key] = floor
            try measure(row, floor, workplace, &report)
        }
        try measureIndexed(workplace, &report)
    }

    /// A pull into a collection with indexes, and the same without, in turns.
    private static func measureIndexed(_ workplace: BenchContext, _ report: inout Report) throws {
        let properties = ["airline", "sourceairport", "destinationairport", "distance"]
        let count = 100_000
        let pair = try PeerPair(in: workplace.newDirectory())
        try pair.passive.ask(.fill(database: "full", shape: .routes, count: count))
        let url = try pair.passive.listen("full")
        let figure = try IndexedPullFigures.compare(
            "sync: pull 1.2 KB into \(properties.count) indexes, TLS",
            of: count,
            into: properties,
            floorName: "the same without indexes"
        ) { indexes in
            try pair.active.ask(.index(database: "empty", properties: indexes))
            let outcome = try pair.active.sync(PeerCommand.Order(database: "empty", url: url))
            guard outcome.documentCount == count else {
                throw BenchFailure("\(outcome.documentCount) documents arrived")
            }
            try pair.active.ask(.drop(database: "empty"))
            return outcome.seconds
        }
        report.add(figure)
    }

    /// Documents per second of the skeleton, the best of two runs.
    private static func floor(_ row: Row, _ workplace: BenchContext) throws -> Double {
        let pieces = Pieces(try row.shape.bodies())
        let seconds = (0..<2).map { _ in
            pieces.withFloor { documents in
                let push: Int32 = row.isPush ? 1 : 0
                return floor_sync(
                    workplace.directory,
                    documents,
                    row.count,
                    row.floorLevel,
                    push
                )
            }
        }
        guard let best = seconds.min(), best > 0 else {
            throw BenchFailure("the sync skeleton failed")
        }
        return Double(row.count) / best
    }

    private static func measure(
        _ row: Row,
        _ floor: Double,
        _ workplace: BenchContext,
        _ report: inout Report
    ) throws {
        let pair = try PeerPair(in: workplace.newDirectory())
        let full = row.isPush ? pair.active : pair.passive
        try full.ask(.fill(database: "full", shape: row.shape, count: row.count))
        var best = SyncOutcome(seconds: .infinity, documentCount: 0, byteCount: 0, samples: [])
        for run in 0..<2 {
            // Each run has its own database to fill.
            let empty = "empty-\(run)"
            let wire = PeerCommand.Wire(compression: row.compression)
            let url = try pair.passive.listen(row.isPush ? empty : "full", wire)
            let order = PeerCommand.Order(
                database: row.isPush ? "full" : empty,
                url: url,
                isPush: row.isPush,
                wire: wire
            )
            let outcome = try pair.active.sync(order)
            guard outcome.documentCount == row.count else {
                throw BenchFailure("\(row.name): \(outcome.documentCount) documents arrived")
            }
            if outcome.seconds < best.seconds { best = outcome }
        }
        report.add(
            Figure(
                name: "sync: \(row.name), TLS",
                unit: "docs/s",
                ours: Double(row.count) / best.seconds,
                floor: floor,
                floorName: [.lz4, .fastDeflate].contains(row.compression)
                    ? "the skeleton with deflate -6" : "two-process skeleton in C"
            )
        )
        guard !row.isPush, row.shape == .routes else { return }
        report.add(
            Figure(
                name: "sync: bytes of a document, \(row.name)",
                unit: "B",
                ours: Double(best.byteCount) / Double(row.count),
                floorName: "both directions, TLS included"
            )
        )
    }
}
