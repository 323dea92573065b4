import DivanTestKit
import Foundation

/// Interrupts a sync of two processes repeatedly, and counts what is transferred twice.
///
/// The connection is cut, the client is killed, the server is killed, in turn. A one-way load:
/// all documents exist from the beginning, on one side.
struct Interrupter {
    /// The fraction of the documents that may be sent again because of the interruptions.
    private static let greatestShare = 0.05

    let documentCount: Int
    let interruptionCount: Int
    private let home: TemporaryDirectory
    private let port: UInt16
    private let wiretap: Wiretap
    /// Who has the documents.
    private let source: Side
    private var running: [Side: RunningProgram] = [:]

    init(documents: Int, interruptions: Int, isPush: Bool) throws {
        documentCount = documents
        interruptionCount = interruptions
        source = isPush ? .client : .server
        home = try TemporaryDirectory()
        port = try Conductor.freePort(home)
        wiretap = try Wiretap(to: port)
    }

    /// Fills one side, interrupts, lets it finish; returns the report.
    ///
    /// - Throws: `KillSyncFailure` if the sides differ, or too much was sent twice.
    mutating func run() throws -> String {
        let start = ContinuousClock.now
        try finish(["fill", source.rawValue, home.path, "\(documentCount)"])
        for side in Side.allCases { try launch(side) }
        for number in 0..<interruptionCount {
            let share = Double(number + 1) / Double(interruptionCount + 1)
            try wiretap.wait(forRevisions: Int(Double(documentCount) * share))
            try interrupt(number)
        }
        try wiretap.wait(forRevisions: documentCount)
        try end(.client)
        try finish(arguments("finish", wiretap.port))
        try end(.server)
        return try report(ContinuousClock.now - start)
    }

    private mutating func interrupt(_ number: Int) throws {
        switch number % 3 {
        case 0: wiretap.cut()
        case 1: try restart(.client)
        default: try restart(.server)
        }
    }

    private mutating func restart(_ side: Side) throws {
        try end(side)
        try launch(side)
    }

    /// Ends a worker like a power cut.
    private mutating func end(_ side: Side) throws {
        guard let outcome = running.removeValue(forKey: side)?.kill(), outcome.isSignalled else {
            throw KillSyncFailure("the \(side.rawValue) ended by itself")
        }
    }

    private mutating func launch(_ side: Side) throws {
        let target = side == .server ? port : wiretap.port
        let worker = try Program.current.start(arguments(side.rawValue, target))
        if side == .server { _ = try worker.line { $0 == "listening" } }
        running[side] = worker
    }

    private func finish(_ words: [String]) throws {
        let outcome = try Program.current.run(words)
        guard outcome.status == 0 else { throw KillSyncFailure("\(words[0]): \(outcome)") }
    }

    /// A worker that writes nothing itself.
    private func arguments(_ role: String, _ port: UInt16) -> [String] {
        [role, home.path, "\(port)", "0", "0", "0", "0", "--plain"]
    }

    private func report(_ time: Duration) throws -> String {
        let count = try Comparison.equalDocumentCount(home.path)
        guard count == documentCount else {
            throw KillSyncFailure("\(count) of \(documentCount) documents on each side")
        }
        let twice = wiretap.revisionCount - documentCount
        let share = Double(twice) / Double(documentCount)
        let kinds = [0, 1, 2].map { kind in (0..<interruptionCount).count { $0 % 3 == kind } }
        let text = """
            \(source == .client ? "push" : "pull") of \(documentCount) documents, \
            interrupted \(interruptionCount) times (\(kinds[0]) cuts, \(kinds[1]) kills of the \
            client, \(kinds[2]) of the server), \(time.components.seconds) s: both sides equal, \
            \(twice) revisions sent twice, \(Double(Int(share * 10_000)) / 100) %
            """
        guard share <= Self.greatestShare else { throw KillSyncFailure("\(text): too many") }
        return text
    }
}
