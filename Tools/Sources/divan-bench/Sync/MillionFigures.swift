/// A pull of a million documents: whether memory and rate stay what they were.
enum MillionFigures {
    private static let count = 1_000_000
    /// Documents over which a rate is taken: some ten times that the log is written into the file.
    private static let window = 100_000
    /// How far a pull is before its rate counts.
    private static let start = 10_000

    static func measure(_ workplace: Workplace, into report: inout Report) throws {
        let pair = try PeerPair(in: workplace.newDirectory())
        func listen(_ name: String, _ count: Int) throws -> String {
            try pair.passive.ask(.fill(database: name, shape: .routes, count: count))
            return try pair.passive.listen(name)
        }
        func pull(_ url: String, into name: String) throws -> SyncOutcome {
            try pair.active.sync(PeerCommand.Order(database: name, url: url, samplePeriod: 0.1))
        }
        let full = try listen("full", count)
        let first = try listen("first", start + window + 5_000)
        // A first small pull brings what every later one shares.
        _ = try pull(try listen("small", 100), into: "warm")
        let processes = [("puller", pair.active), ("listener", pair.passive)]
        let idle = try processes.map { try $0.1.usage(forgetsPeak: true).residentByteCount }
        let outcome = try pull(full, into: "copy")
        guard outcome.documentCount == count else { throw BenchFailure("documents are missing") }
        for ((name, process), before) in zip(processes, idle) {
            report.add(
                Figure(
                    name: "sync: pull of 1,000,000, memory above idle, \(name)",
                    unit: "MB",
                    ours: (try process.usage().peakByteCount - before) / 1e6,
                    floorName: "peak",
                    must: .atMost(96)
                )
            )
        }
        let firsts = try (0..<2).map { try pull(first, into: "first-\($0)") }
        addRates(outcome, firsts, &report)
        addMemory(outcome, &report)
    }

    /// Compares the end with pulls that follow at once and not with its own beginning.
    ///
    /// A virtual machine may give memory that was not in use at a fifth of the speed, so whatever
    /// writes gigabytes begins fast; what comes right afterwards meets the machine as the end did.
    private static func addRates(
        _ outcome: SyncOutcome,
        _ firsts: [SyncOutcome],
        _ report: inout Report
    ) {
        let beginning = firsts.map { Pace($0, after: start, window) }.reduce(Pace(), +).rate
        report.add(
            Figure(
                name: "sync: rate at document 1,000,000",
                unit: "docs/s",
                ours: Pace(outcome, after: count - 2 * window, 2 * window).rate,
                floor: beginning,
                floorName: "our rate behind document 10,000, right afterwards",
                must: .share(0.8)
            )
        )
        report.add(
            Figure(
                name: "sync: rate behind document 10,000 of the 1,000,000",
                unit: "docs/s",
                ours: Pace(outcome, after: start, window).rate,
                floor: beginning,
                floorName: "the same of a pull afterwards"
            )
        )
    }

    private static func addMemory(_ outcome: SyncOutcome, _ report: inout Report) {
        func memory(at share: Double) -> Double {
            let number = Int(Double(count) * share)
            return outcome.samples.first { $0.documentCount >= number }?.residentByteCount ?? 0
        }
        report.add(
            Figure(
                name: "sync: memory of the puller at the end",
                unit: "MB",
                ours: memory(at: 0.99) / 1e6,
                floor: memory(at: 0.1) / 1e6,
                floorName: "the same behind document 100,000",
                must: .times(1.2)
            )
        )
    }
}

/// How many documents came in how long.
private struct Pace {
    var documentCount = 0
    var seconds = 0.0

    init() {}

    /// Of the samples within `window` documents behind `start`, but none after the last document:
    /// what a replication does to end is not its rate.
    init(_ outcome: SyncOutcome, after start: Int, _ window: Int) {
        let end = min(start + window, outcome.documentCount - 1)
        guard let first = outcome.samples.first(where: { $0.documentCount >= start }),
            let last = outcome.samples.last(where: { $0.documentCount <= end }),
            last.seconds > first.seconds
        else { return }
        documentCount = last.documentCount - first.documentCount
        seconds = last.seconds - first.seconds
    }

    var rate: Double { seconds > 0 ? Double(documentCount) / seconds : 0 }

    static func + (first: Pace, second: Pace) -> Pace {
        var sum = Pace()
        sum.documentCount = first.documentCount + second.documentCount
        sum.seconds = first.seconds + second.seconds
        return sum
    }
}
