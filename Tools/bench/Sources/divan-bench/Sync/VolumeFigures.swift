import CDivanFloors
import DivanDatabase

/// Much of one thing: a large blob, two databases in one process, a million documents.
enum VolumeFigures {
    static func measure(_ workplace: BenchContext, into report: inout Report) throws {
        try measureBlob(workplace, &report)
        try measureLocal(workplace, &report)
        try MillionFigures.measure(workplace, into: &report)
    }

    private static func measureBlob(_ workplace: BenchContext, _ report: inout Report) throws {
        let byteCount = 800 * (128 << 10)
        let floor = (0..<2).map { _ in floor_blob_transfer(workplace.directory, byteCount) }.min()
        guard let floor, floor > 0 else { throw BenchFailure("the floor of a blob failed") }
        let pair = try PeerPair(in: workplace.newDirectory())
        try pair.passive.ask(.attach(database: "full", byteCount: byteCount))
        let url = try pair.passive.listen("full")
        let seconds = try (0..<2).map { run in
            let order = PeerCommand.Order(database: "copy-\(run)", url: url)
            let outcome = try pair.active.sync(order)
            guard outcome.documentCount == 1 else { throw BenchFailure("the blob did not arrive") }
            return outcome.seconds
        }
        let size = Double(byteCount) / 1e6
        report.add(
            Figure(
                name: "sync: pull of a blob of 100 MB, TLS",
                unit: "MB/s",
                ours: size / (seconds.min() ?? .infinity),
                floor: size / floor,
                floorName: "read, TLS, SHA-1, write, sync"
            )
        )
    }

    private static func measureLocal(_ workplace: BenchContext, _ report: inout Report) throws {
        let count = 100_000
        let pieces = Pieces(try DocumentShape.routes.bodies())
        let floor = pieces.withFloor { floor_copy_database(workplace.directory, $0, count) }
        guard floor > 0 else { throw BenchFailure("the floor of two files failed") }
        let process = try PeerProcess(in: workplace.newDirectory())
        try process.ask(.fill(database: "full", shape: .routes, count: count))
        let seconds = try (0..<2).map { run in
            let copy = PeerCommand.copy(from: "full", to: "copy-\(run)")
            let outcome = try process.ask(copy, for: SyncOutcome.self)
            guard outcome.documentCount == count else {
                throw BenchFailure("documents are missing")
            }
            return outcome.seconds
        }
        report.add(
            Figure(
                name: "sync: local database endpoint, 1.2 KB",
                unit: "docs/s",
                ours: Double(count) / (seconds.min() ?? .infinity),
                floor: Double(count) / floor,
                floorName: "one SQLite file to another in C"
            )
        )
    }
}
