import DivanTestKit
import Foundation

/// The run: starts a listener and its clients, examines both each minute, and compares at the end.
///
/// A minute of edits takes a fifth of a minute: otherwise clients would mostly be idle.
struct Soak {
    static let haste = 5.0

    let minuteCount: Int
    let clientCount: Int
    let processCount: Int
    let seed: Int

    /// Returns the exit status.
    func run() throws -> Int32 {
        let directory = NSTemporaryDirectory() + "divan-soak-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: directory,
            withIntermediateDirectories: true
        )
        defer { try? FileManager.default.removeItem(atPath: directory) }
        StandardLines.say("soak: \(clientCount) clients in \(processCount) processes, seed \(seed)")
        let server = try Program.current.start(["serve", directory], input: .lines)
        let port = try server.line()
        let restingCount = try server.number("sockets")
        let processes = try (0..<processCount).map { index in
            try Program.current.start(
                [
                    "clients", directory, port, "\(index)", "\(clientCount / processCount)",
                    "\(minuteCount)", "\(seed + index)",
                ],
                input: .lines
            )
        }
        for process in processes { _ = try process.line() }
        var memory: [Int] = []
        for minute in 1...minuteCount {
            Thread.sleep(forTimeInterval: 60 / Self.haste)
            memory.append(try server.number("memory"))
            StandardLines.say(try line(minute, server, processes))
        }
        let edits = try processes.reduce(0) { try $0 + $1.number("finish") }
        let isEqual = try waitUntilEqual(server, processes)
        let cuts = try processes.reduce(0) { try $0 + $1.number("cuts") }
        let failures = try processes.reduce(0) { try $0 + $1.number("failures") }
        let documents = try server.number("documents")
        for process in processes { _ = try process.ask("stop") }
        let leftCount = try waitForSockets(server, restingCount)
        StandardLines.say(
            "soak: \(failures) edits failed; the listener has \(documents) documents"
        )
        let status = judge(edits, cuts, isEqual, memory, leftCount - restingCount)
        return failures == 0 && documents > 0 ? status : 1
    }

    private func line(
        _ minute: Int,
        _ server: RunningProgram,
        _ processes: [RunningProgram]
    ) throws -> String {
        let clients = try processes.reduce(0) { try $0 + $1.number("memory") }
        let edits = try processes.reduce(0) { try $0 + $1.number("edits") }
        let cuts = try processes.reduce(0) { try $0 + $1.number("cuts") }
        let memory = try server.number("memory")
        return "minute \(minute): listener \(memory >> 20) MiB, clients \(clients >> 20) MiB, "
            + "\(try server.ask("connections")) connections, \(edits) edits, \(cuts) cuts, "
            + "\(try server.ask("sockets")) sockets"
    }

    private func waitUntilEqual(
        _ server: RunningProgram,
        _ processes: [RunningProgram]
    ) throws -> Bool {
        let end = Date(timeIntervalSinceNow: 240)
        while Date() < end {
            let wanted = try server.ask("digest")
            let digests = try processes.flatMap { process in
                try process.ask("digests").split(separator: " ").map(String.init)
            }
            let strayCount = digests.count { $0 != wanted }
            if strayCount == 0, digests.count == clientCount { return true }
            StandardLines.say("soak: \(strayCount) of \(digests.count) clients are not level yet")
            Thread.sleep(forTimeInterval: 2)
        }
        return false
    }

    private func waitForSockets(_ server: RunningProgram, _ count: Int) throws -> Int {
        for _ in 0..<100 {
            if try server.number("sockets") <= count { break }
            Thread.sleep(forTimeInterval: 0.1)
        }
        return try server.number("sockets")
    }

    private func judge(
        _ edits: Int,
        _ cuts: Int,
        _ isEqual: Bool,
        _ memory: [Int],
        _ leftCount: Int
    ) -> Int32 {
        // In the first half every document and every connection occurs once; from there on the
        // listener's memory must not grow.
        let early = memory[memory.count / 2]
        let growth = (memory.last ?? 0) - early
        let isFlat = growth < max(early / 10, 16 << 20)
        StandardLines.say(
            """
            soak: \(edits) edits, \(cuts) connections cut
            all databases equal: \(isEqual ? "yes" : "NO")
            listener's memory: \(early >> 20) → \((memory.last ?? 0) >> 20) MiB: \
            \(isFlat ? "flat" : "GROWS")
            sockets left: \(leftCount) \(leftCount <= 0 ? "(none leaked)" : "LEAKED")
            """
        )
        return isEqual && isFlat && leftCount <= 0 && cuts > 0 ? 0 : 1
    }
}

/// Why a run cannot continue.
struct SoakFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension RunningProgram {
    /// Writes a line and waits for the answer, a number.
    fileprivate func number(_ question: String) throws -> Int {
        let answer = try ask(question)
        guard let number = Int(answer) else { throw SoakFailure("no number: \(answer)") }
        return number
    }
}
