import DivanDatabase

/// The shapes in which the reference engine was measured on a machine of this kind, in clear
/// text; its figures are used as floors.
///
/// Source: `Docs/performance.md`, "Compared with the reference engine".
enum SyncReferenceFigures {
    private struct Row {
        var isPush: Bool
        var compression: PeerCommand.Compression
        var reference: Double
    }

    private static let rows = [
        Row(isPush: false, compression: .deflate, reference: 12_814),
        Row(isPush: false, compression: .fastDeflate, reference: 12_814),
        Row(isPush: false, compression: .none, reference: 30_157),
        Row(isPush: true, compression: .deflate, reference: 12_266),
        Row(isPush: true, compression: .fastDeflate, reference: 12_266),
        Row(isPush: true, compression: .none, reference: 23_568),
    ]
    private static let count = 100_000

    static func measure(_ workplace: BenchContext, into report: inout Report) throws {
        for row in rows { try measure(row, workplace, &report) }
        for isPush in [false, true] { try measureBlob(isPush, workplace, &report) }
    }

    private static func measure(
        _ row: Row,
        _ workplace: BenchContext,
        _ report: inout Report
    ) throws {
        let pair = try PeerPair(in: workplace.newDirectory())
        let wire = PeerCommand.Wire(compression: row.compression, isSecure: false)
        let full = row.isPush ? pair.active : pair.passive
        try full.ask(.fill(database: "full", shape: .words, count: count))
        let url = try pair.passive.listen(row.isPush ? "empty" : "full", wire)
        for process in [pair.active, pair.passive] { _ = try process.usage(forgetsPeak: true) }
        let outcome = try pair.active.sync(
            PeerCommand.Order(
                database: row.isPush ? "full" : "empty",
                url: url,
                isPush: row.isPush,
                wire: wire
            )
        )
        let verb = row.isPush ? "push" : "pull"
        guard outcome.documentCount == count else {
            throw BenchFailure(
                "\(verb): \(outcome.documentCount) of \(count) documents were synced"
            )
        }
        report.add(
            Figure(
                name: "reference: \(verb) 1,024 B, clear, \(row.compression)",
                unit: "docs/s",
                ours: Double(count) / outcome.seconds,
                floor: row.reference,
                floorName: "the reference engine"
            )
        )
        // It takes 33 to 49 MB with documents of this size.
        for (name, process) in [("active", pair.active), ("passive", pair.passive)] {
            report.add(
                Figure(
                    name: "reference: memory, \(verb), \(row.compression), \(name)",
                    unit: "MB",
                    ours: try process.usage().peakByteCount / 1e6,
                    floor: 50,
                    floorName: "the reference engine, at most"
                )
            )
        }
    }

    private static func measureBlob(
        _ isPush: Bool,
        _ workplace: BenchContext,
        _ report: inout Report
    ) throws {
        let byteCount = 100_000_000
        let pair = try PeerPair(in: workplace.newDirectory())
        let wire = PeerCommand.Wire(isSecure: false)
        let full = isPush ? pair.active : pair.passive
        try full.ask(.attach(database: "full", byteCount: byteCount))
        let url = try pair.passive.listen(isPush ? "empty" : "full", wire)
        let order = PeerCommand.Order(
            database: isPush ? "full" : "empty",
            url: url,
            isPush: isPush,
            wire: wire
        )
        let outcome = try pair.active.sync(order)
        guard outcome.documentCount == 1 else { throw BenchFailure("the blob was not synced") }
        report.add(
            Figure(
                name: "reference: \(isPush ? "push" : "pull") of a blob of 100 MB, clear",
                unit: "MB/s",
                ours: Double(byteCount) / 1e6 / outcome.seconds,
                floor: isPush ? 302 : 325,
                floorName: "the reference engine"
            )
        )
    }
}
