import DivanTestKit

/// Pulls over links of different rates and latencies: `.automatic`, which chooses while sending, compared
/// with the best choice made in advance.
///
/// A third process is between the two peers (`LinkProxy`); it simulates no loss and no slow start. A
/// time runs from `start()` until the replicator has stopped, including the connection and the trial of the
/// codecs; the transfer is short, some four seconds with the best choice, so that the trial
/// matters. A fixed choice that takes 1.5 times as long as the best one is given up.
enum LinkFigures {
    private struct Link {
        var megabits: Double
        /// Milliseconds in each direction.
        var latency: Double

        var name: String { "\(Int(megabits)) Mbit/s, \(Int(latency)) ms" }

        /// Documents that take some four seconds with the best choice: the link carries 290 bytes of
        /// each, at most 600 are under way, and the processors handle 40,000 per second.
        var documentCount: Int {
            let rate = min(megabits * 125_000 / 290, 600 / (2 * latency / 1e3), 40_000)
            return max(Int(rate * 4 / 100) * 100, 100)
        }

        /// If the processors are the bottleneck, runs differ from each other.
        var roundCount: Int { megabits >= 100 && latency < 100 ? 3 : 1 }
    }

    private static let fixed: [PeerCommand.Compression] = [.deflate, .fastDeflate, .lz4, .none]

    /// Measures links of some rates, each with three latencies.
    static func measure(
        _ rates: [Double],
        _ workplace: BenchContext,
        into report: inout Report
    ) throws {
        for megabits in rates {
            // Few processes, so that they share the memory of what was filled before.
            let pair = try PeerPair(in: workplace.newDirectory())
            for latency in [1.0, 20, 100] {
                let link = Link(megabits: megabits, latency: latency)
                try measure(link, pair, into: &report)
            }
        }
    }

    private static func measure(
        _ link: Link,
        _ pair: PeerPair,
        into report: inout Report
    ) throws {
        let full = "full-\(Int(link.latency))"
        try pair.passive.ask(.fill(database: full, shape: .routes, count: link.documentCount))
        let proxy = try ProcessRole.link.start(["\(link.megabits)", "\(link.latency)"])
        guard let port = UInt16(try proxy.line()) else {
            throw BenchFailure("the link has no port")
        }
        var seconds: [PeerCommand.Compression: Double] = [:]
        for _ in 0..<link.roundCount {
            for choice in fixed + [.automatic] {
                let best = fixed.compactMap { seconds[$0] }.min()
                let patience = choice == .automatic ? 60 : best.map { $0 * 1.5 + 0.2 } ?? 60
                let time = try pull(full, choice, link, pair, port, patience: patience)
                seconds[choice] = min(seconds[choice] ?? .infinity, time)
            }
        }
        withExtendedLifetime(proxy) {}
        try pair.passive.ask(.drop(database: full))
        add(seconds, link, &report)
    }

    /// Seconds of one pull; infinite if it was given up.
    private static func pull(
        _ full: String,
        _ choice: PeerCommand.Compression,
        _ link: Link,
        _ pair: PeerPair,
        _ port: UInt16,
        patience: Double
    ) throws -> Double {
        let wire = PeerCommand.Wire(compression: choice)
        let url = try pair.passive.listen(full, wire)
        let outcome = try pair.active.sync(
            PeerCommand.Order(
                database: "copy",
                // Under another name, since nothing is compressed on the way to this machine.
                url: url.replacing("127.0.0.1", with: "far.example"),
                wire: wire,
                proxyPort: port,
                patience: patience
            )
        )
        try pair.active.ask(.drop(database: "copy"))
        if outcome.documentCount == link.documentCount { return outcome.seconds }
        guard patience < 60 else {
            throw BenchFailure("\(link.name): \(outcome.documentCount) documents arrived")
        }
        return .infinity
    }

    private static func add(
        _ seconds: [PeerCommand.Compression: Double],
        _ link: Link,
        _ report: inout Report
    ) {
        let count = Double(link.documentCount)
        let story = fixed.map { choice in
            let time = seconds[choice] ?? .infinity
            return "\(choice) \(time.isFinite ? "\(Int(count / time))" : "–")"
        }
        let best = fixed.compactMap { seconds[$0] }.min() ?? .infinity
        report.add(
            Figure(
                name: "links: .automatic at \(link.name)",
                unit: "docs/s",
                ours: count / (seconds[.automatic] ?? .infinity),
                floor: count / best,
                floorName: "the best of \(story.joined(separator: ", "))"
            )
        )
    }
}
