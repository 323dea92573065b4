import DivanDatabase
import DivanRevisions
import DivanTestKit

/// The throughput of one listener as more and more clients pull at the same time, or push.
///
/// The clients store nothing. They and the listener share the machine's processors, so next to each
/// rate is the processor time that the listener itself needs for a document: it gives the listener's own
/// limit on one core.
enum ManyFigures {
    private static let clientCounts = [1, 10, 100, 1_000]
    private static let documentCount = 1_000
    private static let pushedCount = 40_000

    static func measure(_ workplace: BenchContext, into report: inout Report) throws {
        OwnProcess.raiseDescriptorLimit()
        let listener = try BenchListener(
            workplace.newDirectory(),
            documentCount: documentCount
        )
        for count in clientCounts { try measurePull(by: count, from: listener, &report) }
        let floor = try insertRate(workplace)
        for count in clientCounts { try measurePush(by: count, to: listener, floor, &report) }
    }

    private static func measurePull(
        by count: Int,
        from listener: BenchListener,
        _ report: inout Report
    ) throws {
        let total = count * documentCount
        var (seconds, work) = (0.0, 0.0)
        // A few clients fetch the documents several times.
        let rounds = max(1, 20 / count)
        for _ in 0..<rounds {
            let crowd = try listener.pullers(count, of: .full, isSecure: true)
            let before = try listener.process.number("work")
            seconds += try crowd.number("pull \(total)")
            work += try listener.process.number("work") - before
        }
        add("pulled by \(count)", total * rounds, seconds, work, floor: nil, &report)
    }

    private static func measurePush(
        by count: Int,
        to listener: BenchListener,
        _ floor: Double,
        _ report: inout Report
    ) throws {
        let each = pushedCount / count
        let crowd = try ProcessRole.pushers.start([
            "\(listener.ports[1])", "\(count)", "quiet", "\(each)", "by-\(count)",
        ])
        guard Int(try crowd.line()) == count else { throw BenchFailure("pushers stayed away") }
        let before = try listener.process.number("work")
        let seconds = try crowd.number("push")
        let work = try listener.process.number("work") - before
        add("pushed by \(count)", each * count, seconds, work, floor: floor, &report)
    }

    private static func add(
        _ name: String,
        _ count: Int,
        _ seconds: Double,
        _ work: Double,
        floor: Double?,
        _ report: inout Report
    ) {
        report.add(
            Figure(
                name: "many: \(name), all together",
                unit: "docs/s",
                ours: Double(count) / seconds,
                floor: floor,
                floorName: floor == nil ? "none; TLS" : "one thread inserts them into a store"
            )
        )
        report.add(
            Figure(
                name: "many: \(name), of the listener's processor",
                unit: "µs",
                ours: work / Double(count) * 1e6,
                floorName: "for a document, the kernel's share included"
            )
        )
    }

    /// Documents per second that the single writer stores if nothing else is done: an upper limit for any
    /// number of pushers and of processors.
    private static func insertRate(_ workplace: BenchContext) throws -> Double {
        let bodies = try DocumentShape.routes.bodies()
        let store = try Store.open(directory: "\(try workplace.newDirectory())/floor.cblite2")
        defer { try? store.close() }
        guard let revision = RevisionID("1-" + String(repeating: "ab", count: 20)) else {
            throw BenchFailure("no revision")
        }
        let seconds = try Stopwatch.best(of: 1) {
            for start in stride(from: 0, to: pushedCount, by: 200) {
                try store.write { writer in
                    for index in start..<start + 200 {
                        let remote = RemoteRevision(
                            documentID: DocumentID(unchecked: "floor-\(index)"),
                            revisionID: revision,
                            history: [],
                            body: bodies[index % bodies.count]
                        )
                        _ = try writer.insert(remote, in: .default)
                    }
                }
            }
        }
        return Double(pushedCount) / seconds
    }
}
