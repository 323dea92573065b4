import CDivanFloors
import DivanTestKit
import Foundation

/// The capacity of a listener: idle crowds, pulling crowds, new connections, and hostile clients.
enum ListenerFigures {
    private static let documentCount = 10_000
    private static let idleCount = 10_000
    private static let pullerCount = 1_000
    private static let knockCount = 2_000

    static func measure(in directory: String, into report: inout Report) throws {
        OwnProcess.raiseDescriptorLimit()
        let listener = try BenchListener(directory, documentCount: documentCount)
        try measureConnects(listener, into: &report)
        try measurePullers(listener, into: &report)
        try measureHostility(listener, into: &report)
        try measureNotices(listener, into: &report)
        // The last one, in its own process: what the others left behind does not count.
        try measureIdle(BenchListener(directory + "/idle", documentCount: 0), into: &report)
    }

    // MARK: Newcomers

    private static func measureConnects(
        _ listener: BenchListener,
        into report: inout Report
    ) throws {
        let floor = floor_connects(knockCount)
        guard floor > 0 else { throw BenchFailure("the connect floor failed") }
        let client = try listener.pullers(0, of: .quiet, isSecure: true)
        _ = try client.number("knock \(knockCount / 4)")
        let work = try listener.process.number("work")
        _ = try client.number("knock \(knockCount)")
        let ours = (try listener.process.number("work") - work) / Double(knockCount)
        report.add(
            Figure(
                name: "TLS connects with password, to the first reply",
                unit: "1/s",
                ours: 1 / ours,
                floor: 1 / floor,
                floorName: "C server, same key; both per core of the accepting process"
            )
        )
        let memory = try listener.process.number("memory")
        let descriptors = try listener.process.number("descriptors")
        _ = try client.number("knock 10000")
        try listener.waitForConnections(0)
        report.add(
            Figure(
                name: "memory after 10,000 more connects and closes",
                unit: "MB",
                ours: (try listener.process.number("memory") - memory) / 1e6,
                floorName: "none; the growth"
            )
        )
        report.add(
            Figure(
                name: "descriptors left by them",
                unit: "",
                ours: try listener.process.number("descriptors") - descriptors,
                floorName: "none"
            )
        )
    }

    // MARK: Pulling

    private static func measurePullers(
        _ listener: BenchListener,
        into report: inout Report
    ) throws {
        let single = try listener.pullers(1, of: .full, isSecure: true)
        var alone = try single.number("pull \(documentCount)")
        for _ in 0..<3 { alone = min(alone, try single.number("again \(documentCount)")) }
        let crowd = try listener.pullers(100, of: .full, isSecure: true)
        let seconds = try crowd.number("pull \(100 * documentCount)")
        report.add(
            Figure(
                name: "100 pullers at once, 10,000 documents each",
                unit: "docs/s",
                ours: Double(100 * documentCount) / seconds,
                floor: Double(documentCount) / alone,
                floorName: "one puller alone"
            )
        )
    }

    private static func measureHostility(
        _ listener: BenchListener,
        into report: inout Report
    ) throws {
        let good = try listener.pullers(1, of: .full, isSecure: true)
        let others = try listener.pullers(19, of: .full, isSecure: true)
        var alone = try good.number("pull \(documentCount)")
        for _ in 0..<5 { alone = min(alone, try good.number("again \(documentCount)")) }
        let hostile = try ProcessRole.hostile.start([
            "\(listener.ports[0])", "20", "full",
        ])
        _ = try hostile.line()
        var beside = Double.infinity
        for _ in 0..<6 { beside = min(beside, try good.number("again \(documentCount)")) }
        guard try hostile.number("deeds") > 20 else { throw BenchFailure("nobody was hostile") }
        withExtendedLifetime(others) {}
        report.add(
            Figure(
                name: "a good client while half the connections are hostile",
                unit: "docs/s",
                ours: Double(documentCount) / beside,
                floor: Double(documentCount) / alone,
                floorName: "the same client alone"
            )
        )
    }

    // MARK: Rest

    private static func measureNotices(
        _ listener: BenchListener,
        into report: inout Report
    ) throws {
        let crowd = try listener.pullers(pullerCount, of: .quiet, isSecure: true, continuous: true)
        _ = try crowd.number("pull")
        let work = try listener.process.number("work")
        let start = monotonicSeconds()
        Thread.sleep(forTimeInterval: 10)
        let busy = try listener.process.number("work") - work
        report.add(
            Figure(
                name: "a core's share for 1,000 idle continuous TLS pullers",
                unit: "%",
                ours: busy / (monotonicSeconds() - start) * 100,
                floorName: "none; 10 s of rest"
            )
        )
        var slowest = 0.0
        for round in 1...5 {
            let saved = try listener.process.number("save")
            slowest = max(slowest, try crowd.number("told \(round * pullerCount)") - saved)
        }
        report.add(
            Figure(
                name: "one change to 1,000 idle pullers, all notified",
                unit: "s",
                ours: slowest,
                floorName: "none; the slowest of five"
            )
        )
    }

    /// Seconds from connecting to the first reply: the mean of many, the best of three.
    private static func firstReply(_ newcomer: RunningProgram) throws -> Double {
        var best = Double.infinity
        for _ in 0..<3 {
            let start = monotonicSeconds()
            _ = try newcomer.number("knock 200")
            best = min(best, (monotonicSeconds() - start) / 200)
        }
        return best
    }

    private static func measureIdle(
        _ listener: BenchListener,
        into report: inout Report
    ) throws {
        let count = min(idleCount, (OwnProcess.descriptorLimit - 200) / 2 * 2)
        let newcomer = try listener.pullers(0, of: .quiet, isSecure: true)
        let alone = try firstReply(newcomer)
        let clear = try listener.pullers(count / 2, of: .quiet, isSecure: false, continuous: true)
        let secure = try listener.pullers(count / 2, of: .quiet, isSecure: true, continuous: true)
        _ = try clear.number("pull")
        _ = try secure.number("pull")
        Thread.sleep(forTimeInterval: 8)
        try listener.waitForConnections(count)
        report.add(
            Figure(
                name: "memory of a listener with \(count) idle pullers, half TLS",
                unit: "MB",
                ours: try listener.process.number("memory") / 1e6,
                floorName: "none; the whole process"
            )
        )
        report.add(
            Figure(
                name: "a newcomer's first reply beside \(count) idle ones",
                unit: "ms",
                ours: try firstReply(newcomer) * 1_000,
                floor: alone * 1_000,
                floorName: "the same before they came"
            )
        )
    }
}

/// The listening process as the bench sees it.
struct BenchListener {
    enum Database: String {
        case full
        case quiet
    }

    let process: RunningProgram
    /// `full` over TLS, `quiet` over TLS, `quiet` in clear text.
    let ports: [UInt16]

    init(_ directory: String, documentCount: Int) throws {
        process = try ProcessRole.listener.start([directory, "\(documentCount)"])
        ports = try process.line().split(separator: " ").compactMap { UInt16($0) }
        guard ports.count == 3 else { throw BenchFailure("the listener told no ports") }
    }

    /// Starts pullers in their own process, and waits until the listener has answered them.
    func pullers(
        _ count: Int,
        of database: Database,
        isSecure: Bool,
        continuous: Bool = false
    ) throws -> RunningProgram {
        let port = database == .full ? ports[0] : isSecure ? ports[1] : ports[2]
        let child = try ProcessRole.pullers.start([
            "\(port)", isSecure ? "tls" : "clear", "\(count)",
            database.rawValue, continuous ? "continuous" : "once",
        ])
        let opened = try child.line()
        guard Int(opened) == count else { throw BenchFailure("only \(opened) pullers came in") }
        return child
    }

    /// Waits, at most some seconds, until this many connections are open.
    func waitForConnections(_ count: Int) throws {
        for _ in 0..<200 {
            if try process.number("connections") == Double(count) { return }
            Thread.sleep(forTimeInterval: 0.05)
        }
        throw BenchFailure("\(Int(try process.number("connections"))) connections, not \(count)")
    }
}
