import CouchbaseLiteSwift
import DivanPlatform
import DivanTestKit
import Foundation

/// Runs the two processes, repeatedly kills one or the other, and lets them finish.
struct Conductor {
    /// Bounds of the time between a (re)start and the next kill: from before anything is open to
    /// some thousand documents.
    private static let lifeMilliseconds = 1...1_000

    let seed: UInt64
    let killCount: Int
    let workload: Workload
    private var generator: SeededGenerator
    private let home: TemporaryDirectory
    private let port: UInt16
    private var counts = Counts()

    private struct Counts {
        var kills: [Side: Int] = [:]
        var saved: [Side: Int] = [:]
        /// Documents that both may edit, by the numbers of those that were reported as saved.
        var shared: Set<Int> = []
        var beforeFirstWord = 0
        var stops: [String: Int] = [:]
        var lastRuns: [String] = []
    }

    init(seed: UInt64, kills: Int, documents: Int) throws {
        self.seed = seed
        killCount = kills
        workload = Workload(seed: seed, count: documents / 2)
        generator = SeededGenerator(seed: seed)
        home = try TemporaryDirectory()
        port = try Self.freePort(home)
    }

    /// A port without a listener at the moment.
    static func freePort(_ home: TemporaryDirectory) throws -> UInt16 {
        var configuration = DatabaseConfiguration()
        configuration.revisionScheme = AskedScheme.revisionScheme
        configuration.directory = home.path
        let database = try Database(name: "port", config: configuration)
        defer { try? database.close() }
        var settings = URLEndpointListenerConfiguration(
            collections: [try database.defaultCollection()]
        )
        settings.networkInterface = "127.0.0.1"
        settings.disableTLS = true
        let listener = URLEndpointListener(config: settings)
        try listener.start()
        defer { listener.stop() }
        guard let port = listener.port else { throw KillSyncFailure("no port to listen on") }
        return port
    }

    /// Kills, lets the sync finish, compares; returns the report.
    ///
    /// - Throws: `KillSyncFailure` with the seed if anything is lost, invented or unequal.
    mutating func run() throws -> String {
        let start = ContinuousClock.now
        do {
            try killAll()
            try finish()
            let comparison = try Comparison(home.path, workload, shared: counts.shared)
            return report(comparison, ContinuousClock.now - start)
        } catch {
            throw KillSyncFailure("seed \(seed), after \(counts.kills): \(error)")
        }
    }

    private mutating func killAll() throws {
        var running: [Side: RunningProgram] = [:]
        for life in 0..<killCount {
            // So that the writing lasts as long as the killing.
            let through = workload.count * (life + 1) / max(1, killCount)
            for side in Side.allCases where running[side] == nil {
                running[side] = try start(side, life, through: through)
            }
            let pause = Int.random(in: Self.lifeMilliseconds, using: &generator)
            CurrentThread.sleep(milliseconds: pause)
            guard let side = Side.allCases.randomElement(using: &generator),
                let victim = running.removeValue(forKey: side)
            else { continue }
            try note(try kill(victim, side), of: side)
            counts.kills[side, default: 0] += 1
        }
        for (side, worker) in running { try note(try kill(worker, side), of: side) }
    }

    private func start(_ side: Side, _ life: Int, through: Int) throws -> RunningProgram {
        try Program.current.start(arguments(side.rawValue, life, through: through))
    }

    /// Ends a worker like a power cut, and returns its whole output.
    private func kill(_ worker: RunningProgram, _ side: Side) throws -> [String] {
        let outcome = worker.kill()
        guard outcome.isSignalled else {
            throw KillSyncFailure("the \(side.rawValue) ended by itself with \(outcome)")
        }
        return outcome.lines
    }

    private func arguments(_ role: String, _ life: Int, through: Int) -> [String] {
        [role, home.path, "\(port)", "\(seed)", "\(workload.count)", "\(life)", "\(through)"]
    }

    /// What a worker reported as saved must be there when the next one looks.
    private mutating func note(_ lines: [String], of side: Side) throws {
        if lines.isEmpty { counts.beforeFirstWord += 1 }
        for line in lines {
            let words = line.split(separator: " ")
            switch words.first {
            case "from":
                let found = words.last.flatMap { Int($0) } ?? 0
                let owed = counts.saved[side] ?? 0
                guard found >= owed else {
                    throw KillSyncFailure("\(side.rawValue): \(owed) saved, \(found) found")
                }
            case "saved": counts.saved[side] = words.last.flatMap { Int($0) }
            case "both":
                if let number = words.last.flatMap({ Int($0) }) { counts.shared.insert(number) }
            case "stopped": counts.stops[String(words.last ?? ""), default: 0] += 1
            case "run": counts.lastRuns.append(line)
            default: break
            }
        }
    }

    private mutating func finish() throws {
        let server = try start(.server, killCount, through: workload.count)
        _ = try server.line { $0.hasPrefix("written") }
        let arguments = arguments("finish", killCount, through: workload.count)
        let client = try Program.current.run(arguments)
        guard client.status == 0 else { throw KillSyncFailure("the last client: \(client)") }
        try note(client.lines, of: .client)
        try note(try kill(server, .server), of: .server)
    }

    private func report(_ comparison: Comparison, _ time: Duration) -> String {
        let kills = counts.kills
        let stops = counts.stops.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }
        return """
            kill-sync: seed \(seed), \(killCount) kills in \(time.formatted()) \
            (server \(kills[.server] ?? 0), client \(kills[.client] ?? 0); \
            \(counts.beforeFirstWord) before their first word)
              \(comparison.documentCount) documents on each side, equal to the revision: \
            \(comparison.liveCount) live, \(comparison.tombstoneCount) deleted, \
            \(comparison.conflictedCount) edited by both
              \(comparison.blobCount) blobs read and hashed on each side
              \(comparison.indexCount) indexes of both sides give the rows that scans give
              replicators that ended for good and were started again: \
            \(stops.isEmpty ? "none" : stops.joined(separator: ", "))
              \(counts.lastRuns.joined(separator: "; "))
              nothing is lost, nothing is invented
            """
    }
}

extension Duration {
    fileprivate func formatted() -> String { "\(components.seconds) s" }
}
