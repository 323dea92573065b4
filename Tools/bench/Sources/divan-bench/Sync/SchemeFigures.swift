/// Databases of version vectors compared with those of trees: pull and push in turns, so that both see
/// the same machine, and a save of a document that a thousand databases wrote.
enum SchemeFigures {
    private typealias Scheme = PeerCommand.Scheme

    /// The resources of one run.
    private struct Use {
        /// Processor time of both processes.
        let processorSeconds: Double
        let byteCount: Int
    }

    private static let documentCount = 25_000
    // Runs of one build differ by a fifth, so a single best one would not be reliable.
    private static let roundCount = 20
    private static let saveCount = 500

    static func measure(_ workplace: BenchContext, into report: inout Report) throws {
        for isPush in [false, true] { try measureSync(isPush: isPush, workplace, &report) }
        try measureSave(&report)
    }

    private static func measureSync(
        isPush: Bool,
        _ workplace: BenchContext,
        _ report: inout Report
    ) throws {
        let pair = try PeerPair(in: workplace.newDirectory())
        let full = isPush ? pair.active : pair.passive
        for scheme in Scheme.allCases {
            try full.ask(
                .fill(
                    database: "full-\(scheme)",
                    shape: .routes,
                    count: documentCount,
                    scheme: scheme
                )
            )
        }
        var uses: [Scheme: [Use]] = [:]
        for round in 0..<roundCount {
            let schemes = Scheme.allCases
            for scheme in round.isMultiple(of: 2) ? schemes : schemes.reversed() {
                uses[scheme, default: []].append(try sync(scheme, round, isPush: isPush, pair))
            }
        }
        guard let trees = uses[.trees].map(better), let vectors = uses[.vectors].map(better) else {
            return
        }
        let name = isPush ? "push" : "pull"
        let count = Double(documentCount)
        report.add(
            Figure(
                name: "schemes: \(name) 1.2 KB with version vectors, by processor time",
                unit: "docs/s",
                ours: count / vectors.processorSeconds,
                floor: count / trees.processorSeconds,
                floorName: "with trees, in turns"
            )
        )
        report.add(
            Figure(
                name: "schemes: bytes of a document, \(name) with version vectors",
                unit: "B",
                ours: Double(vectors.byteCount) / count,
                floor: Double(trees.byteCount) / count,
                floorName: "with trees; both directions, TLS included"
            )
        )
    }

    /// The mean of the better half.
    private static func better(_ uses: [Use]) -> Use {
        let half = uses.sorted { $0.processorSeconds < $1.processorSeconds }.prefix(roundCount / 2)
        return Use(
            processorSeconds: half.map(\.processorSeconds).reduce(0, +) / Double(half.count),
            byteCount: half.map(\.byteCount).reduce(0, +) / half.count
        )
    }

    private static func sync(
        _ scheme: Scheme,
        _ round: Int,
        isPush: Bool,
        _ pair: PeerPair
    ) throws -> Use {
        let (full, empty) = ("full-\(scheme)", "empty-\(scheme)-\(round)")
        let filled = isPush ? pair.passive : pair.active
        try filled.ask(.fill(database: empty, shape: .routes, count: 0, scheme: scheme))
        let url = try pair.passive.listen(isPush ? empty : full)
        let order = PeerCommand.Order(
            database: isPush ? full : empty,
            url: url,
            isPush: isPush
        )
        let processes = [pair.active, pair.passive]
        let before = try processes.map { try $0.usage().processorSeconds }
        let outcome = try pair.active.sync(order)
        let after = try processes.map { try $0.usage().processorSeconds }
        try filled.ask(.drop(database: empty))
        guard outcome.documentCount == documentCount else {
            throw BenchFailure("\(full): \(outcome.documentCount) documents arrived")
        }
        return Use(
            processorSeconds: after.reduce(0, +) - before.reduce(0, +),
            byteCount: outcome.byteCount
        )
    }

    // MARK: Many writers

    private static func measureSave(_ report: inout Report) throws {
        let writers = try ManyWriters()
        let seconds = try Stopwatch.bestWork { try writers.save(saveCount) }
        report.add(
            Figure(
                name: "schemes: save of a document that 1,000 databases wrote",
                unit: "µs",
                ours: seconds / Double(saveCount) * 1e6,
                floorName: "in memory, by processor time"
            )
        )
    }
}
