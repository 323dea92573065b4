import DivanConflicts
import DivanReplicator
import DivanRevisions
import DivanSession
import DivanSimulation
import DivanStore
import DivanTestKit
import DivanTransport
import DivanZlib
import Synchronization

/// Databases in a ring with random chords, each link with a continuous replication in both directions, on one thread
/// and in virtual time.
final class MeshedStores {
    let loop = VirtualLoop()
    let network: SimulatedNetwork
    let stores: [Store]
    private var sessions: [ActiveSession] = []
    private let received = Received()

    private final class Received: Sendable {
        let count = Mutex(0)
    }

    /// Bodies that arrived anywhere, including those that were already stored.
    var receivedCount: Int { received.count.withLock { $0 } }

    init(
        _ count: Int,
        seed: UInt64,
        scheme: RevisionScheme = .vectors,
        sharesTransfers: Bool = true,
        resolver: any ConflictResolver = .default
    ) {
        var generator = SeededGenerator(seed: seed)
        var conditions = SimulatedConditions()
        conditions.latency = .milliseconds(1) ... .milliseconds(5)
        network = SimulatedNetwork(
            loop: loop,
            random: SeededGenerator(seed: seed ^ 0xDEC0DE),
            conditions: conditions
        )
        stores = (0..<count).map { _ in Store.inMemory(scheme: scheme) }
        let tables = stores.map { _ in sharesTransfers ? RevisionsInFlight() : nil }
        for (number, (store, table)) in zip(stores, tables).enumerated() {
            listen(store, table, at: "\(number)")
        }
        var links = Set((0..<count).map { Link($0, ($0 + 1) % count) })
        while links.count < min(count * 5 / 2, count * (count - 1) / 2) {
            let (one, other) = (
                Int.random(in: 0..<count, using: &generator),
                Int.random(in: 0..<count, using: &generator)
            )
            if one != other { links.insert(Link(one, other)) }
        }
        for link in links.sorted(by: { ($0.low, $0.high) < ($1.low, $1.high) }) {
            let (caller, callee) =
                Bool.random(using: &generator) ? (link.low, link.high) : (link.high, link.low)
            call(from: caller, to: callee, stores[caller], tables[caller], resolver)
        }
    }

    private struct Link: Hashable {
        let low, high: Int

        init(_ one: Int, _ other: Int) {
            (low, high) = (min(one, other), max(one, other))
        }
    }

    private func listen(_ store: Store, _ table: RevisionsInFlight?, at host: String) {
        var options = PeerConfiguration.PassiveOptions(collections: [.default])
        options.writeFilters[.default] = countingFilter
        let engine = engine(.passive(options), store, table)
        network.listen(
            at: host,
            choosing: { engine.choose(from: $0)?.rawValue },
            accept: { PassiveSession(store: store, peer: engine, transport: $0).start() }
        )
    }

    private func call(
        from caller: Int,
        to callee: Int,
        _ store: Store,
        _ table: RevisionsInFlight?,
        _ resolver: any ConflictResolver
    ) {
        var collection = PeerConfiguration.CollectionOptions(.default)
        collection.pullFilter = countingFilter
        let options = PeerConfiguration.ActiveOptions(
            pushes: true,
            pulls: true,
            isContinuous: true,
            collections: [collection],
            remoteIdentity: "x-mesh:\(callee)"
        )
        let engine = engine(.active(options), store, table)
        let (network, loop) = (network, loop)
        var configuration = ActiveSession.Configuration(peer: engine) { _ in
            network.makeTransport(
                from: "\(caller)",
                to: "\(callee)",
                subprotocols: engine.subprotocols
            )
        }
        configuration.resolvers = [.default: resolver]
        configuration.retry = RetrySchedule(isContinuous: true)
        configuration.runResolver = { loop.execute($0) }
        configuration.runStoring = { loop.execute($0) }
        let session = ActiveSession(store: store, configuration: configuration, loop: loop)
        session.start()
        sessions.append(session)
    }

    private func engine(
        _ role: PeerConfiguration.Role,
        _ store: Store,
        _ table: RevisionsInFlight?
    ) -> PeerConfiguration {
        var engine = PeerConfiguration(
            role: role,
            codec: DeflateCodec(),
            secondsSince1970: { 1_700_000_000 }
        )
        engine.scheme = store.scheme
        engine.inFlight = table
        return engine
    }

    /// Accepts each arriving revision, and counts it.
    private var countingFilter: DocumentFilter {
        { [received] _ in
            received.count.withLock { $0 += 1 }
            return true
        }
    }

    /// Whether all stores have the same current revisions, of this many documents.
    func areEqual(documentCount: Int) throws -> Bool {
        let expected = try Simulation.contents(stores[0])
        guard expected.count == documentCount else { return false }
        return try stores.allSatisfy { try Simulation.contents($0) == expected }
    }

    /// Lets time pass until all stores are equal; returns whether that happened in time.
    func run(atMost limit: Duration, untilEqualWith documentCount: Int) throws -> Bool {
        let end = loop.now + limit
        while loop.now < end {
            if try areEqual(documentCount: documentCount) { return true }
            loop.run(for: .milliseconds(50))
        }
        return try areEqual(documentCount: documentCount)
    }

    /// The sum of all stores' sequences: it grows with each stored revision.
    var lastSequences: UInt64 {
        get throws {
            try stores.reduce(0) { try $0 + $1.read { try $0.lastSequence(in: .default) } }
        }
    }

    /// Stops every session and runs until all have ended.
    func stop() {
        for session in sessions { session.stop() }
        loop.run(for: .seconds(30))
    }
}
