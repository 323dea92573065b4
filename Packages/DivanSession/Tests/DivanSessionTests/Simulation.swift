import DivanCrypto
import DivanReplicator
import DivanRevisions
import DivanSession
import DivanSimulation
import DivanStore
import DivanTestKit
import DivanTransport
import DivanZlib
import Synchronization

/// One hub and some peers that replicate with it continuously, on one thread and in virtual time.
final class Simulation {
    let loop = VirtualLoop()
    let network: SimulatedNetwork
    let hub: Store
    private(set) var peers: [Peer] = []
    private(set) var events: [SimulatedEvent] = []
    var generator: SeededGenerator

    /// A peer, and the last status of its session.
    final class Peer: Sendable {
        let store: Store
        let session: ActiveSession
        private let told: Statuses

        var status: SyncStatus? { told.list.withLock { $0.last } }
        var activities: [SyncStatus.Activity] { told.list.withLock { $0.map(\.activity) } }

        init(store: Store, session: ActiveSession, told: Statuses) {
            self.store = store
            self.session = session
            self.told = told
        }
    }

    final class Statuses: Sendable {
        let list = Mutex<[SyncStatus]>([])
    }

    /// Bytes for UUIDs, from a seed.
    private final class SeededSource: RandomSource {
        private let generator: Mutex<SeededGenerator>

        init(seed: UInt64) { generator = Mutex(SeededGenerator(seed: seed)) }

        func bytes(_ count: Int) -> [UInt8] {
            generator.withLock { .random(count: count, using: &$0) }
        }
    }

    init(
        seed: UInt64,
        peerCount: Int,
        conditions: SimulatedConditions = SimulatedConditions()
    ) {
        generator = SeededGenerator(seed: seed)
        network = SimulatedNetwork(
            loop: loop,
            random: SeededGenerator(seed: seed ^ 0xDEC0DE),
            conditions: conditions
        )
        hub = Store.inMemory(random: SeededSource(seed: seed))
        network.onEvent = { [unowned self] in events.append($0) }
        listen()
        peers = (1...peerCount).map { makePeer($0, seed: seed) }
    }

    private func listen() {
        var configuration = PeerConfiguration(
            role: .passive(.init(collections: [.default])),
            codec: DeflateCodec(),
            secondsSince1970: { 1_700_000_000 }
        )
        configuration.usesDeltas = true
        let fixed = configuration
        let hub = hub
        network.listen(
            at: "hub",
            choosing: { fixed.choose(from: $0)?.rawValue },
            accept: { PassiveSession(store: hub, peer: fixed, transport: $0).start() }
        )
    }

    private func makePeer(_ number: Int, seed: UInt64) -> Peer {
        let options = PeerConfiguration.ActiveOptions(
            pushes: true,
            pulls: true,
            isContinuous: true,
            collections: [.init(.default)],
            remoteIdentity: "ws://hub:4984/db/_blipsync"
        )
        var engine = PeerConfiguration(
            role: .active(options),
            codec: DeflateCodec(),
            secondsSince1970: { 1_700_000_000 }
        )
        engine.usesDeltas = number.isMultiple(of: 2)
        // It names the lines of checkpoints, in as many digits as it takes.
        engine.random = SeededSource(seed: seed &* 7 &+ UInt64(number))
        let (network, loop) = (network, loop)
        let subprotocols = engine.subprotocols
        var configuration = ActiveSession.Configuration(peer: engine) { _ in
            network.makeTransport(from: "\(number)", to: "hub", subprotocols: subprotocols)
        }
        configuration.retry = RetrySchedule(isContinuous: true)
        configuration.runResolver = { loop.execute($0) }
        configuration.runStoring = { loop.execute($0) }
        let told = Statuses()
        configuration.onStatus = { status in told.list.withLock { $0.append(status) } }
        let store = Store.inMemory(random: SeededSource(seed: seed &* 1_000 &+ UInt64(number)))
        let session = ActiveSession(store: store, configuration: configuration, loop: loop)
        session.start()
        return Peer(store: store, session: session, told: told)
    }

    /// All documents of a store, including tombstones, with their current revisions.
    static func contents(_ store: Store) throws -> [DocumentID: String] {
        try store.read { reader in
            let changes = try reader.changes(in: .default, after: 0, limit: 100_000)
            return Dictionary(
                changes.map { ($0.documentID, "\($0.revisionID)") },
                uniquingKeysWith: { _, last in last }
            )
        }
    }

    /// Whether every store holds the same revisions.
    var isLevel: Bool {
        get throws {
            let expected = try Self.contents(hub)
            return try peers.allSatisfy { try Self.contents($0.store) == expected }
        }
    }

    /// Stops every session and runs until all have ended.
    func stop() {
        for peer in peers { peer.session.stop() }
        loop.run(for: .seconds(700))
    }

    deinit {
        network.onEvent = nil
    }
}
