import DivanDatabase

/// Small replications, where the steps count rather than the documents: nothing new, a lost
/// checkpoint, one document, a live change, deltas.
enum StepFigures {
    private static let count = 100_000

    static func measure(_ workplace: BenchContext, into report: inout Report) throws {
        let pair = try PeerPair(in: workplace.newDirectory())
        try measureInStep(pair, &report)
        try measureOne(pair, &report)
        for isPush in [false, true] { try measureLive(pair, isPush, &report) }
        for isPush in [true, false] { try measureDeltas(pair, isPush: isPush, &report) }
    }

    private static func measureInStep(_ pair: PeerPair, _ report: inout Report) throws {
        try pair.passive.ask(.fill(database: "full", shape: .routes, count: count))
        var order = PeerCommand.Order(database: "copy", url: try pair.passive.listen("full"))
        _ = try pair.active.sync(order)
        let nothing = try (0..<5).map { _ in try pair.active.sync(order).seconds }.min() ?? 0
        report.add(
            Figure(
                name: "sync: nothing new, 100,000 documents in step",
                unit: "ms",
                ours: nothing * 1_000,
                floorName: "from start to stopped"
            )
        )
        order.isReset = true
        let again = try (0..<2).map { _ in try pair.active.sync(order).seconds }.min() ?? 0
        report.add(
            Figure(
                name: "sync: checkpoint lost, 100,000 documents in step",
                unit: "ms",
                ours: again * 1_000,
                floorName: "from start to stopped"
            )
        )
    }

    /// The smallest push that does something.
    private static func measureOne(_ pair: PeerPair, _ report: inout Report) throws {
        var times: [Double] = []
        for run in 0..<5 {
            try pair.active.ask(.fill(database: "one-\(run)", shape: .airlines, count: 1))
            let url = try pair.passive.listen("none-\(run)")
            let order = PeerCommand.Order(database: "one-\(run)", url: url, isPush: true)
            let outcome = try pair.active.sync(order)
            guard outcome.documentCount == 1 else { throw BenchFailure("nothing was pushed") }
            times.append(outcome.seconds)
        }
        report.add(
            Figure(
                name: "sync: push of one document, start to stopped",
                unit: "ms",
                ours: (times.min() ?? 0) * 1_000,
                floorName: "handshake and checkpoint included"
            )
        )
    }

    private static func measureLive(
        _ pair: PeerPair,
        _ isPush: Bool,
        _ report: inout Report
    ) throws {
        let saves = 500
        let (far, near) = ("live-\(isPush)", "here-\(isPush)")
        let url = try pair.passive.listen(far)
        let (saver, watcher) = isPush ? (pair.active, pair.passive) : (pair.passive, pair.active)
        try watcher.ask(.watch(database: isPush ? far : near))
        try pair.active.ask(.follow(.init(database: near, url: url, isPush: isPush)))
        try saver.ask(.save(database: isPush ? near : far, count: saves))
        let delays = try watcher.ask(.stamps(count: saves), for: [Double].self).sorted()
        let direction = isPush ? "active to passive" : "passive to active"
        for (name, rank) in [("p50", saves / 2), ("p99", saves * 99 / 100)] {
            report.add(
                Figure(
                    name: "sync: saved → listener called, \(direction), \(name)",
                    unit: "ms",
                    ours: delays[rank] * 1_000,
                    floorName: "a document every 3 ms"
                )
            )
        }
    }

    /// One field changes in each of many documents: what deltas save.
    ///
    /// The pushing side keeps the bodies that the other side is known to have, the listener the
    /// latest ones of each document.
    private static func measureDeltas(
        _ pair: PeerPair,
        isPush: Bool,
        _ report: inout Report
    ) throws {
        let documents = 1_000
        var bytes: [Bool: Double] = [:]
        for usesDeltas in [false, true] {
            let direction = isPush ? "push" : "pull"
            let (near, far) = (
                "large-\(direction)-\(usesDeltas)", "deltas-\(direction)-\(usesDeltas)"
            )
            let (writer, written) = isPush ? (pair.active, near) : (pair.passive, far)
            try writer.ask(.fill(database: written, shape: .hotels, count: documents))
            let url = try pair.passive.listen(far, PeerCommand.Wire(usesDeltas: usesDeltas))
            let order = PeerCommand.Order(database: near, url: url, isPush: isPush)
            _ = try pair.active.sync(order)
            try writer.ask(.touch(database: written, count: documents))
            let outcome = try pair.active.sync(order)
            guard outcome.documentCount == documents else {
                throw BenchFailure("\(outcome.documentCount) of \(documents) updates were synced")
            }
            bytes[usesDeltas] = Double(outcome.byteCount)
        }
        guard let full = bytes[false], let deltas = bytes[true], full > 0 else { return }
        report.add(
            Figure(
                name:
                    "sync: 1,000 updates of one field, 5.6 KB, deltas, \(isPush ? "push" : "pull")",
                unit: "%",
                ours: deltas / full * 100,
                floorName: "of all bytes with full bodies, plain, TLS"
            )
        )
    }
}
