import Foundation

/// A pull of a million documents: whether memory and rate stay constant.
///
/// The end is compared with a pull that follows at once, not with its own beginning. A virtual
/// machine may hand out memory that was not in use at a fifth of the speed, so whatever writes
/// gigabytes begins fast; and the speed of its processors varies over time. What comes
/// right afterwards sees the machine in the same state as the end did. The middle of three rounds counts.
enum MillionFigures {
    private static let count = 1_000_000
    /// Documents over which a rate is measured; meanwhile the log is written into the file some ten times.
    private static let window = 100_000
    /// How many documents are pulled before the rate counts.
    private static let start = 10_000

    static func measure(_ workplace: BenchContext, into report: inout Report) throws {
        let passive = try PeerProcess(in: workplace.newDirectory())
        func listen(_ name: String, _ count: Int) throws -> String {
            try passive.ask(.fill(database: name, shape: .routes, count: count))
            return try passive.listen(name)
        }
        let full = try listen("full", count)
        let first = try listen("first", start + window + 5_000)
        let small = try listen("small", 100)
        var rounds: [Round] = []
        for _ in 0..<3 {
            let directory = try workplace.newDirectory()
            defer { try? FileManager.default.removeItem(atPath: directory) }
            let active = try PeerProcess(in: directory)
            func pull(_ url: String, into name: String) throws -> SyncOutcome {
                let order = PeerCommand.Order(database: name, url: url, samplePeriod: 0.1)
                return try active.sync(order)
            }
            // A first small pull allocates what every later one shares.
            _ = try pull(small, into: "warm")
            let processes = [active, passive]
            let idle = try processes.map { try $0.usage(forgetsPeak: true).residentByteCount }
            let outcome = try pull(full, into: "copy")
            guard outcome.documentCount == count else {
                throw BenchFailure("documents are missing")
            }
            let peaks = try processes.map { try $0.usage().peakByteCount }
            let next = try pull(first, into: "next")
            rounds.append(
                Round(full: outcome, next: next, growth: zip(peaks, idle).map { $0 - $1 })
            )
        }
        report.add(
            Series(
                name: "pull of 1,000,000: documents a second by seconds",
                points: rounds[0].full.rates(overSeconds: 1)
            )
        )
        addMemory(rounds[0], &report)
        addRates(rounds, &report)
    }

    private struct Round {
        /// The pull of the million, and the one right afterwards.
        let full: SyncOutcome
        let next: SyncOutcome
        /// Bytes above idle at the peak: the puller's, the listener's.
        let growth: [Double]

        var endRate: Double { full.rate(after: count - window, window) }
        var nextRate: Double { next.rate(after: start, window) }
    }

    private static func addRates(_ rounds: [Round], _ report: inout Report) {
        let ordered = rounds.sorted { $0.endRate * $1.nextRate < $1.endRate * $0.nextRate }
        let middle = ordered[rounds.count / 2]
        report.add(
            Figure(
                name: "sync: rate at document 1,000,000",
                unit: "docs/s",
                ours: middle.endRate,
                floor: middle.nextRate,
                floorName: "our rate behind document 10,000, right afterwards"
            )
        )
        report.add(
            Figure(
                name: "sync: rate at document 1,000,000, of its own beginning",
                unit: "docs/s",
                ours: middle.endRate,
                floor: middle.full.rate(after: start, window),
                floorName: "the same pull behind document 10,000"
            )
        )
    }

    private static func addMemory(_ round: Round, _ report: inout Report) {
        for (name, growth) in zip(["puller", "listener"], round.growth) {
            report.add(
                Figure(
                    name: "sync: pull of 1,000,000, memory above idle, \(name)",
                    unit: "MB",
                    ours: growth / 1e6,
                    floorName: "peak"
                )
            )
        }
        func memory(at share: Double) -> Double {
            let number = Int(Double(count) * share)
            return round.full.samples.first { $0.documentCount >= number }?.residentByteCount ?? 0
        }
        report.add(
            Figure(
                name: "sync: memory of the puller at the end",
                unit: "MB",
                ours: memory(at: 0.99) / 1e6,
                floor: memory(at: 0.1) / 1e6,
                floorName: "the same behind document 100,000"
            )
        )
    }
}

extension SyncOutcome {
    /// Documents per second by the seconds since the beginning, each over the same period.
    fileprivate func rates(overSeconds period: Double) -> [Series.Point] {
        var points: [Series.Point] = []
        var last = Sample(seconds: 0, documentCount: 0, residentByteCount: 0)
        for sample in samples where sample.seconds - last.seconds >= period {
            let rate =
                Double(sample.documentCount - last.documentCount) / (sample.seconds - last.seconds)
            points.append(Series.Point(x: sample.seconds, y: rate))
            last = sample
        }
        return points
    }

    /// Documents per second within `window` documents after `start`, but not up to the very last:
    /// the work of ending a replication does not count.
    fileprivate func rate(after start: Int, _ window: Int) -> Double {
        let end = min(start + window, documentCount - 1)
        guard let first = samples.first(where: { $0.documentCount >= start }),
            let last = samples.last(where: { $0.documentCount <= end }),
            last.seconds > first.seconds
        else { return 0 }
        return Double(last.documentCount - first.documentCount) / (last.seconds - first.seconds)
    }
}
