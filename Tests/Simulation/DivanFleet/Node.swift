import DivanCrypto
import DivanDatabase
import DivanJSON
import DivanQuery
import DivanReplicator
import DivanSession
import DivanSimulation
import DivanTestKit
import DivanTransport
import Synchronization

/// One peer: a lasting disk, a process that comes and goes, and a wall clock.
///
/// `@unchecked Sendable` holds because a simulation has one thread.
final class Node: @unchecked Sendable {
    let number: Int
    let health: DiskHealth
    let mistakes = EngineMistakes()
    /// Received bodies, by document; used only by the relay of `SeededBug.deltaOnWrongBase`.
    var bodies: [ExactText: [[UInt8]]] = [:]
    /// The versions of the last received list; used only by `SeededBug.ownTakenForKnown`.
    var announced: [String] = []
    /// The database of the running process; `nil` if there is none.
    private(set) var store: Store?
    /// When the copy was made that `restore` puts back.
    private(set) var backUpTime: Duration?
    /// Documents that were given an expiration.
    var expiring: Set<Action.Place> = []
    /// How long the process stays down after it dies.
    var downTime: Duration = .zero
    /// How the node resolves conflicts now.
    var resolver: ResolverKind
    /// The difference between the wall clock and the loop's.
    private(set) var clockOffset: Duration = .zero
    /// Whether the database names its revisions by version vectors, or will when the process starts.
    var usesVectors: Bool

    private unowned let world: World
    private let random: SeededSource
    private var disk: Disk { didSet { mount() } }
    private var backUpDisk: Disk
    private var engine: FaultyEngine?
    private var storage: FaultyBlobStorage?
    private var observation: StoreObservation?
    private var expiryTimer: TimerToken?
    private var wasRestored = false

    /// What outlives a process.
    private struct Disk {
        var rows: LastingRows
        var blobs = BlobMemory()

        func copy() throws -> Disk { Disk(rows: try rows.copy(), blobs: blobs.copy()) }
    }

    init(number: Int, world: World) {
        self.number = number
        self.world = world
        let seed = world.scenario.seed &* 1_000 &+ UInt64(number)
        health = DiskHealth(seed: seed ^ 0xD15C)
        random = SeededSource(seed: seed)
        resolver = world.scenario.resolvers[number]
        usesVectors = world.scenario.fleet == .vectors
        disk = Disk(rows: .inMemory())
        backUpDisk = Disk(rows: .inMemory())
        mistakes.forgetsRemotes = world.bug == .echoNotSuppressed
        if world.scenario.usesFiles {
            keepingFiles { disk.rows = try .inFiles(seed: seed) }
        }
        mount()
    }

    /// Works with files; a failure of this machine is reported as such, so that it is not mistaken for an
    /// error of the nodes.
    private func keepingFiles(_ body: () throws -> Void) {
        do {
            try body()
        } catch {
            world.recordViolation(.unsimulated, "\(name): \(error)")
        }
    }

    /// Installs the faults under the node's current files.
    private func mount() {
        health.files = disk.rows.disk
        if world.bug == .syncSkipped { health.files?.skipSyncs() }
    }

    var name: String { "node\(number)" }
    var isUp: Bool { store != nil }

    /// Milliseconds since 1970 on the node's own clock.
    var clock: Int64 { 1_700_000_000_000 + (world.loop.now + clockOffset).milliseconds }

    /// Nanoseconds since 1970 for versions.
    private var wallTime: UInt64 {
        world.bug == .clockStands ? 1_700_000_000_000_000_000 : UInt64(clock) * 1_000_000
    }

    /// Changes the wall clock.
    ///
    /// Vectors with a time that is minutes ahead are refused, correctly, and must not
    /// end a simulation: the clocks jump at most a minute ahead.
    func jump(_ by: Duration) {
        clockOffset += by
        if world.scenario.fleet != .trees { clockOffset = min(clockOffset, .seconds(60)) }
    }

    /// Corrects the clock if that matters to others.
    func correctClock() {
        if world.scenario.fleet != .trees { clockOffset = .zero }
    }

    // MARK: Life

    /// Starts the process: opens the database and listens.
    func start() {
        guard store == nil else { return }
        let fault = health.fault
        health.fault = nil  // opening has tests of its own
        health.isPoisoned = false
        defer { health.fault = fault }
        let engine = FaultyEngine(rows: disk.rows.engine, health: health, mistakes: mistakes)
        engine.onDeath = { [unowned self] in die() }
        engine.onCheckpoint = { [unowned self] in
            world.loop.execute { [unowned self] in world.auditCheckpoints(of: number) }
        }
        let storage = FaultyBlobStorage(disk.blobs, health: health)
        storage.believesAll = world.bug == .blobNotFetched
        do {
            let store = try Store(
                engine: engine,
                blobs: BlobStore(storage),
                random: random,
                wallTime: { [unowned self] in wallTime }
            )
            if usesVectors { try store.upgradeToVersionVectors() }
            for path in world.scenario.collections { try store.createCollection(path) }
            if world.scenario.indexedNodes.contains(number) { try makeIndexes(in: store) }
            (self.engine, self.storage, self.store) = (engine, storage, store)
            observe(store)
            listenAgain()
            armExpiry()
            if wasRestored { noteContents() }
            wasRestored = false
        } catch {
            world.recordViolation(.refused, "\(name) cannot open its database: \(error)")
        }
    }

    private func makeIndexes(in store: Store) throws {
        for path in world.scenario.collections {
            let value = try QueryExpression(sql: "value").checked(over: QueryCollection(path))
            try store.write { writer in
                try writer.createIndex(
                    "byValue",
                    .value([CheckedKey(value)], filter: nil),
                    in: path
                )
            }
        }
    }

    /// The process ends between two of its effects: nothing that follows leaves it.
    private func die() {
        world.note("\(name) dies")
        world.network.lose(.silence, at: name)
        world.loop.execute { [unowned self] in world.restartAfterDeath(self) }
    }

    /// Ends the process without warning.
    func crash() {
        if store != nil {
            let isCut = health.files?.isCut ?? false
            keepingFiles {
                disk.rows = try disk.rows.afterCrash(cutsPower: isCut || health.losesPower())
            }
        }
        health.death = nil
        engine?.isDead = true
        observation = nil
        store = nil
        if let expiryTimer { world.loop.cancel(expiryTimer) }
        expiryTimer = nil
        world.network.stopListening(at: name)
        world.network.lose(.reset, at: name)
    }

    /// Listens, if the process runs.
    func listenAgain() {
        guard let store else { return }
        var configuration = PeerConfiguration(
            role: .passive(.init(collections: world.scenario.collections)),
            codec: world.codec,
            secondsSince1970: { [unowned self] in clock / 1_000 }
        )
        configuration.usesDeltas = true
        configuration.scheme = store.scheme
        configuration.limits = world.scenario.limits
        configuration.random = random
        let fixed = configuration
        world.network.listen(
            at: name,
            choosing: { fixed.choose(from: $0)?.rawValue },
            accept: { [unowned self] transport in
                let session = PassiveSession(
                    store: store,
                    peer: fixed,
                    transport: relayed(transport, isActive: false),
                    log: world.log
                )
                session.start()
            }
        )
    }

    /// The transport as seen by the node's replicator.
    func relayed(
        _ transport: any MessageTransport,
        isActive: Bool
    ) -> any MessageTransport {
        guard let bug = world.bug, bug.needsRelay else { return transport }
        let tampering = Tampering(bug: bug, node: self, isActive: isActive, world: world)
        return Relay(transport, codec: world.codec, tampering: tampering)
    }

    private func observe(_ store: Store) {
        observation = store.observe { [unowned self] change in
            let index = world.scenario.collections.firstIndex(of: change.collection) ?? 0
            for document in change.changes {
                let place = Action.Place(
                    node: number,
                    collection: index,
                    documentID: document.documentID
                )
                if document.isPurge { world.model.purge(place) } else { world.model.note(place) }
                if !document.isPurge {
                    world.noteOutcome(at: place, isOwn: change.origin == .local)
                }
                world.count(number, index, Int(document.sequence))
                if world.hasEndedFaults, !document.isPurge { world.noteTurn(at: place) }
                if world.bug == .pingPong, change.origin != .local { world.answerMerge(place) }
            }
        }
    }

    // MARK: Copies

    /// Copies the database away.
    func backUp() {
        keepingFiles { backUpDisk = try disk.copy() }
        backUpTime = world.loop.now
    }

    /// Puts the copy back; only while the process is down.
    func restore() {
        guard backUpTime != nil else { return }
        let later = disk
        wasRestored = true
        keepingFiles { disk = try backUpDisk.copy() }
        world.model.goBack(number)
        if world.bug == .restoredCheckpointKept { keepCheckpoints(of: later) }
    }

    /// Keeps the progress of the database: its checkpoints, and the sequences that it had assigned.
    ///
    /// A checkpoint beyond the sequences would be noticed.
    private func keepCheckpoints(of later: Disk) {
        let engine = later.rows.engine
        try? disk.rows.engine.write { transaction in
            for (key, value) in try engine.read({ try $0.values(in: .localCheckpoints) }) {
                try transaction.setValue(value, for: key, in: .localCheckpoints)
            }
            for path in world.scenario.collections {
                guard let id = try transaction.collection(path) else { continue }
                var state = try transaction.state(of: id)
                state.lastSequence = try engine.read { snapshot in
                    try snapshot.collection(path).map { try snapshot.state(of: $0).lastSequence }
                        ?? 0
                }
                try transaction.setState(state)
            }
        }
    }

    /// What the copy stores for peers, and the last sequence of each of its collections.
    func backUpState(_ checkpointID: String, _ path: CollectionPath) -> (copy: [UInt8]?, UInt64) {
        let state = try? backUpDisk.rows.engine.read { snapshot in
            (
                try snapshot.value(checkpointID, in: .peerCheckpoints),
                try snapshot.collection(path).map { try snapshot.state(of: $0).lastSequence } ?? 0
            )
        }
        return state.map { (copy: $0.0, $0.1) } ?? (copy: nil, 0)
    }

    /// Records the content after the copy was restored.
    private func noteContents() {
        guard let store else { return }
        for (index, path) in world.scenario.collections.enumerated() {
            let rows = try? store.read { try $0.changes(in: path, after: 0, limit: .max) }
            for row in rows ?? [] {
                world.model.noteReturned(
                    Action.Place(node: number, collection: index, documentID: row.documentID),
                    tombstone: row.flags.contains(.tombstone) ? row.revisionID : nil
                )
            }
        }
    }

    // MARK: Blobs and expiry

    /// Stores a blob; assuming that others exist does not help here.
    func write(_ content: [UInt8]) throws -> BlobDigest? {
        let believed = storage?.believesAll ?? false
        storage?.believesAll = false
        defer { storage?.believesAll = believed }
        return try store?.blobs.write(content)
    }

    /// The blob, if it is really there.
    func content(_ digest: BlobDigest) -> [UInt8]? {
        guard let source = try? disk.blobs.source(digest) else { return nil }
        return try? source.read(upTo: source.byteCount)
    }

    /// Purges what has expired, and waits for the next.
    func armExpiry() {
        if let expiryTimer { world.loop.cancel(expiryTimer) }
        expiryTimer = nil
        guard let store else { return }
        if (try? store.purgeExpired(now: clock)) == nil {
            for place in expiring { world.model.purge(place) }  // it may have happened
        }
        guard let next = try? store.nextExpiration() else { return }
        let delay = Duration.milliseconds(max(1_000, next - clock))
        expiryTimer = world.loop.schedule(at: world.loop.now + delay) { [unowned self] in
            expiryTimer = nil
            armExpiry()
        }
    }
}

/// Bytes from a seed, for UUIDs and generated revision IDs.
final class SeededSource: RandomSource {
    private let generator: Mutex<SeededGenerator>

    init(seed: UInt64) { generator = Mutex(SeededGenerator(seed: seed)) }

    func bytes(_ count: Int) -> [UInt8] {
        generator.withLock { .random(count: count, using: &$0) }
    }
}
