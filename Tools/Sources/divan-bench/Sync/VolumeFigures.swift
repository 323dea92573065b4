import CDivanFloors
import DivanStore

/// Much of one thing: a large blob, two databases in one process, a million documents.
enum VolumeFigures {
    static func measure(_ workplace: Workplace, into report: inout Report) throws {
        try measureBlob(workplace, &report)
        try measureLocal(workplace, &report)
        try measureMillion(workplace, &report)
    }

    private static func measureBlob(_ workplace: Workplace, _ report: inout Report) throws {
        let byteCount = 800 * (128 << 10)
        let floor = (0..<2).map { _ in floor_blob_transfer(workplace.directory, byteCount) }.min()
        guard let floor, floor > 0 else { throw BenchFailure("the floor of a blob failed") }
        let pair = try PeerPair(in: workplace.newDirectory())
        try pair.passive.ask(.attach(database: "full", byteCount: byteCount))
        let url = try pair.passive.listen("full")
        let seconds = try (0..<2).map { run in
            try pair.active.sync(PeerCommand.Order(database: "copy-\(run)", url: url)).seconds
        }
        let size = Double(byteCount) / 1e6
        report.add(
            Figure(
                name: "sync: pull of a blob of 100 MB, TLS",
                unit: "MB/s",
                ours: size / (seconds.min() ?? .infinity),
                floor: size / floor,
                floorName: "read, TLS, SHA-1, write, sync",
                must: .share(0.3)
            )
        )
    }

    private static func measureLocal(_ workplace: Workplace, _ report: inout Report) throws {
        let count = 100_000
        let pieces = Pieces(try DocumentShape.routes.bodies())
        let floor = pieces.withFloor { floor_copy_database(workplace.directory, $0, count) }
        guard floor > 0 else { throw BenchFailure("the floor of two files failed") }
        let process = try PeerProcess(in: workplace.newDirectory())
        try process.ask(.fill(database: "full", shape: .routes, count: count))
        let seconds = try (0..<2).map { run in
            try process.ask(.copy(from: "full", to: "copy-\(run)"), for: SyncOutcome.self).seconds
        }
        report.add(
            Figure(
                name: "sync: local database endpoint, 1.2 KB",
                unit: "docs/s",
                ours: Double(count) / (seconds.min() ?? .infinity),
                floor: Double(count) / floor,
                floorName: "one SQLite file to another in C",
                must: .atLeast(60_000)
            )
        )
    }

    private static func measureMillion(_ workplace: Workplace, _ report: inout Report) throws {
        let count = 1_000_000
        let pair = try PeerPair(in: workplace.newDirectory())
        try pair.passive.ask(.fill(database: "full", shape: .routes, count: count))
        let url = try pair.passive.listen("full")
        // A first small pull brings what every later one shares.
        try pair.passive.ask(.fill(database: "small", shape: .routes, count: 100))
        let small = try pair.passive.listen("small")
        _ = try pair.active.sync(PeerCommand.Order(database: "warm", url: small))
        let processes = [("puller", pair.active), ("listener", pair.passive)]
        let idle = try processes.map { try $0.1.usage(forgetsPeak: true).residentByteCount }
        let outcome = try pair.active.sync(
            PeerCommand.Order(database: "copy", url: url, samplePeriod: 0.1)
        )
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
        addCourse(outcome.samples, count, &report)
    }

    /// Whether memory and rate stay what they were.
    private static func addCourse(
        _ samples: [SyncOutcome.Sample],
        _ count: Int,
        _ report: inout Report
    ) {
        let window = count / 20
        func rate(after start: Int) -> Double {
            guard let first = samples.first(where: { $0.documentCount >= start }),
                let last = samples.last(where: { $0.documentCount <= start + window }),
                last.seconds > first.seconds
            else { return 0 }
            return Double(last.documentCount - first.documentCount) / (last.seconds - first.seconds)
        }
        report.add(
            Figure(
                name: "sync: rate at document 1,000,000",
                unit: "docs/s",
                ours: rate(after: count - window),
                floor: rate(after: 10_000),
                floorName: "our rate behind document 10,000",
                must: .share(0.8)
            )
        )
        func memory(at share: Double) -> Double {
            let number = Int(Double(count) * share)
            return samples.first { $0.documentCount >= number }?.residentByteCount ?? 0
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
