import CouchbaseLiteSwift
import DivanDatabase
import DivanDelta
import DivanLZ4
import DivanPlatform
import DivanTestKit
import DivanZlib
import Foundation

/// Lets three to eight databases, each a separate process, sync in circles.
///
/// They edit, change their rules for conflicts, and are killed. Afterwards all must be equal, and no
/// acknowledged write may be lost.
///
/// The seed decides who, what and when; the processes run concurrently, so two runs of one seed
/// may differ.
struct Convergence {
    let seed: UInt64
    let roundCount: Int
    private var generator: SeededGenerator
    private let home: TemporaryDirectory
    private let ports: [UInt16]
    private var running: [Int: RunningProgram] = [:]
    private var links: [Link] = []
    private var policies: [Policy]
    private var ledger = Ledger()
    private var killCount = 0
    private var movedCount = 0

    /// Which process starts a replication, and with which one.
    private struct Link {
        let active: Int
        let passive: Int
    }

    init(seed: UInt64, rounds: Int) throws {
        self.seed = seed
        roundCount = rounds
        LogSinks.console = nil
        var generator = SeededGenerator(seed: seed &* 6_151 &+ 3)
        let home = try TemporaryDirectory()
        let count = Int.random(in: 3...8, using: &generator)
        ports = Self.freePorts(count)
        policies = Array(repeating: .standard, count: count)
        self.generator = generator
        self.home = home
    }

    /// Ports without a listener, below those that the system assigns to connections: a killed
    /// peer must get its own port again.
    private static func freePorts(_ count: Int) -> [UInt16] {
        var ports: Set<UInt16> = []
        while ports.count < count {
            let port = UInt16.random(in: 10_000..<32_768)
            guard let descriptor = Loopback.connect(to: port) else {
                ports.insert(port)
                continue
            }
            descriptor.close()
        }
        return ports.sorted()
    }

    private func name(_ peer: Int) -> String { "d\(peer)" }

    /// Runs all rounds and examines what is left; returns the report.
    ///
    /// - Throws: `KillSyncFailure` with the seed, and the path of the databases.
    mutating func run() throws -> String {
        let start = ContinuousClock.now
        do {
            for round in 0..<roundCount { try turn(round) }
            let passCount = try runUntilQuiet()
            let found = try judge()
            let seconds = (ContinuousClock.now - start).components.seconds
            return """
                converge: seed \(seed), \(ports.count) databases, \(roundCount) rounds, \(killCount) \
                kills, \(ledger.count) writes acknowledged, \(movedCount) documents moved, \(seconds) s; \
                at rest after \(passCount) passes: \(found.documentCount) documents and \
                \(found.blobCount) blobs equal everywhere, nothing lost
                """
        } catch {
            for program in running.values { program.kill() }
            let kept = "\(NSTemporaryDirectory())divan-converge-\(seed)"
            try? FileManager.default.removeItem(atPath: kept)
            try? FileManager.default.copyItem(atPath: home.path, toPath: kept)
            throw KillSyncFailure(
                "seed \(seed) of \(ports.count) databases, ports \(ports), links "
                    + "\(links.map { "\($0.active)→\($0.passive)" }): \(error)\n"
                    + "databases kept in \(kept); repeat it with: "
                    + "make converge RUNS=1 ROUNDS=\(roundCount) SEED=\(seed)"
            )
        }
    }

    // MARK: One round

    private mutating func turn(_ round: Int) throws {
        if round % 40 == 0 { drawLinks() }
        try startAll()
        var asked: [(peer: Int, isSync: Bool)] = []
        for peer in ports.indices {
            if draw(12) == 0 { policies[peer] = Policy.allCases[draw(Policy.allCases.count)] }
            if draw(3) == 0 {
                try tell(peer, "edit \(seed &* 100_003 &+ UInt64(round)) \(1 + draw(5))")
                asked.append((peer, false))
            }
            for link in links where link.active == peer && draw(2) == 0 {
                let verb = draw(8) == 0 ? "follow" : "sync"
                try tell(peer, "\(verb) \(words(policies[peer], link))")
                asked.append((peer, true))
            }
            if draw(5) == 0 {
                try tell(peer, "rest")
                asked.append((peer, false))
            }
        }
        if draw(4) == 0 {
            let victim = draw(ports.count)
            CurrentThread.sleep(milliseconds: draw(40))
            kill(victim)
            asked.removeAll { $0.peer == victim }
        }
        for (peer, isSync) in asked where running[peer] != nil {
            let answer = try answer(of: peer)
            guard isSync || answer.hasPrefix("done") else {
                throw KillSyncFailure("\(name(peer)): \(answer)")
            }
        }
    }

    private func words(_ policy: Policy, _ link: Link) -> String {
        "\(policy.rawValue) \(ports[link.passive]) \(name(link.passive))"
    }

    private mutating func draw(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

    /// A tree, so that every node receives everything in the end, and some more, circles and pairs too.
    private mutating func drawLinks() {
        let order = ports.indices.shuffled(using: &generator)
        links = order.indices.dropFirst().map { place in
            let (one, other) = (order[place], order[draw(place)])
            return draw(2) == 0
                ? Link(active: one, passive: other) : Link(active: other, passive: one)
        }
        for _ in 0..<draw(2 * ports.count) {
            let (one, other) = (draw(ports.count), draw(ports.count))
            guard one != other,
                !links.contains(where: { $0.active == one && $0.passive == other })
            else { continue }
            links.append(Link(active: one, passive: other))
        }
    }

    // MARK: Processes

    private mutating func startAll() throws {
        for peer in ports.indices where running[peer] == nil {
            let program = try Program.current.start(
                ["peer", name(peer), home.path, "\(ports[peer])"],
                input: .lines,
                patience: .seconds(120)
            )
            running[peer] = program
        }
        for (peer, program) in running.sorted(by: { $0.key < $1.key })
        where !listening.contains(program.processIdentifier) {
            _ = try answer(of: peer)
            listening.insert(program.processIdentifier)
        }
    }

    private var listening: Set<Int32> = []

    private func tell(_ peer: Int, _ line: String) throws {
        try running[peer]?.type(line)
    }

    /// The end of a peer's answer; what it saved before is recorded.
    ///
    /// A sync may fail, as its other side may have been killed.
    private mutating func answer(of peer: Int) throws -> String {
        guard let program = running[peer] else { return "" }
        while true {
            let line = try program.line()
            ledger.read([line], of: peer)
            if line.hasPrefix("done moved"), let count = line.split(separator: " ").last {
                movedCount += Int(count) ?? 0
            }
            if line.hasPrefix("done") || line.hasPrefix("failed") { return line }
        }
    }

    private mutating func kill(_ peer: Int) {
        guard let program = running.removeValue(forKey: peer) else { return }
        listening.remove(program.processIdentifier)
        ledger.read(program.kill().lines, of: peer)
        killCount += 1
    }

    // MARK: The end

    /// No process edits or dies any more, and all use the default rule: a few passes must suffice.
    private mutating func runUntilQuiet() throws -> Int {
        try startAll()
        for peer in ports.indices {
            try tell(peer, "rest")
            _ = try answer(of: peer)
        }
        let limit = 6 + 3 * ports.count
        for pass in 1...limit {
            let before = movedCount
            for link in links {
                try tell(link.active, "sync \(words(.standard, link))")
                let answer = try answer(of: link.active)
                guard answer.hasPrefix("done") else {
                    throw KillSyncFailure("\(link.active)→\(link.passive): \(answer)")
                }
            }
            if movedCount == before { return pass }
        }
        throw KillSyncFailure("documents still move after \(limit) passes over all links")
    }

    private mutating func judge() throws -> (documentCount: Int, blobCount: Int) {
        for peer in ports.indices { kill(peer) }
        killCount -= ports.count
        // Old revisions are packed with whichever codec a database uses.
        let archive = BodyArchive(packing: nil, deflate: DeflateCodec(), lz4: LZ4Codec())
        let stores = try ports.indices.map { peer in
            try Store.open(
                directory: "\(home.path)/\(name(peer)).cblite2",
                options: StoreOptions(create: false, archive: archive)
            )
        }
        defer { for store in stores { try? store.close() } }
        guard ledger.count > 0 else { throw KillSyncFailure("no write was acknowledged") }
        let found = try ledger.judge(stores)
        // A judge that does not miss a write that no process made would prove nothing.
        for id in ["own-lost-0", "doc-lost"] {
            var liar = Ledger()
            liar.read(["saved \(id) 1-\(String(repeating: "a", count: 40))"], of: 0)
            guard (try? liar.judge(stores)) == nil else {
                throw KillSyncFailure("\(id) exists nowhere, and is not reported as lost")
            }
        }
        return found
    }
}
