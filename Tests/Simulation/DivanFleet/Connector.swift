import DivanConflicts
import DivanDatabase
import DivanReplicator
import DivanRevisions
import DivanSession
import DivanSimulation
import DivanTransport

/// The active side of one link: the replicator as an application would run it, restarted if it
/// ended with an error, and run now and then if it is not continuous.
///
/// `@unchecked Sendable` holds because a simulation has one thread.
final class Connector: @unchecked Sendable {
    let index: Int
    let plan: LinkPlan
    private(set) var status: SyncStatus?
    private(set) var session: ActiveSession?

    private unowned let world: World
    private var timer: TimerToken?
    private var runCount = 0
    private var nextIsReset = false
    /// Listens on the current connection.
    private weak var probe: Probe?

    init(index: Int, plan: LinkPlan, world: World) {
        self.index = index
        self.plan = plan
        self.world = world
    }

    private var node: Node { world.nodes[plan.active] }
    private var other: Node { world.nodes[plan.passive] }

    /// Whether it is up to date with its peer, or has ended.
    var isResting: Bool {
        session == nil || status?.activity == .idle
    }

    /// The configuration of an active peer of this link.
    var options: PeerConfiguration.ActiveOptions {
        PeerConfiguration.ActiveOptions(
            pushes: world.scenario.flow != .down,
            pulls: world.scenario.flow != .up,
            isContinuous: plan.isContinuous,
            collections: world.scenario.collections.map(collection),
            remoteIdentity: "ws://\(other.name):4984/db/_blipsync"
        )
    }

    private func collection(_ path: CollectionPath) -> PeerConfiguration.CollectionOptions {
        var options = PeerConfiguration.CollectionOptions(path)
        let isLast = plan.active == world.scenario.nodeCount - 1
        options.documentIDs = plan.documentIDs
        if !(isLast && world.bug == .filterIgnored) {
            options.pushFilter = { !DocumentName.isPrivate($0.documentID) }
        }
        let dropsTombstones = isLast && world.bug == .tombstoneDropped
        options.pullFilter = { shown in
            !DocumentName.isPrivate(shown.documentID)
                && !(dropsTombstones && shown.flags.contains(.deleted))
        }
        return options
    }

    /// The name of a collection's checkpoint, as the replicator computes it.
    func checkpointID(_ path: CollectionPath, of store: Store) -> String {
        CheckpointNames(of: collection(path), options, in: store).id.description
    }

    // MARK: Runs

    /// Starts a run, if the node is up and none is active.
    func start() {
        cancelTimer()
        guard session == nil, world.isPresent(plan), let store = node.store else { return }
        runCount += 1
        let run = runCount
        var options = options
        options.isReset = nextIsReset
        nextIsReset = false
        let session = ActiveSession(
            store: store,
            configuration: configuration(options, run, store.scheme),
            loop: world.loop,
            network: world.networkChanges,
            log: world.log
        )
        self.session = session
        status = nil
        session.start()
    }

    private func configuration(
        _ options: PeerConfiguration.ActiveOptions,
        _ run: Int,
        _ scheme: RevisionScheme
    ) -> ActiveSession.Configuration {
        let (network, world, node, other) = (world.network, world, node, other)
        var peer = PeerConfiguration(
            role: .active(options),
            codec: world.codec,
            secondsSince1970: { node.clock / 1_000 }
        )
        peer.usesDeltas = plan.usesDeltas
        peer.scheme = scheme
        peer.limits = world.scenario.limits
        peer.random = SeededSource(seed: UInt64(index) &* 7 &+ UInt64(run))
        let subprotocols = peer.subprotocols
        var configuration = ActiveSession.Configuration(peer: peer) { [unowned self] _ in
            let wire = network.makeTransport(
                from: node.name,
                to: other.name,
                subprotocols: subprotocols
            )
            let probe = Probe(wire, world: world, names: (node.name, other.name))
            self.probe = probe
            return node.relayed(probe, isActive: true)
        }
        configuration.retry = RetrySchedule(isContinuous: plan.isContinuous)
        configuration.runResolver = { world.runResolver($0) }
        configuration.runStoring = { world.runStoring($0) }
        for (number, path) in world.scenario.collections.enumerated() {
            configuration.resolvers[path] = RecordingResolver(
                collection: number,
                node: plan.active,
                world: world
            )
        }
        configuration.onDocuments = { [unowned self] events in
            for event in events { note(event) }
        }
        configuration.onStatus = { [unowned self] in changed($0, run) }
        return configuration
    }

    private func note(_ event: DocumentEvent) {
        let name = "\(event.collection)/\(event.documentID)"
        let outcome = event.error.map { "\($0.domain)/\($0.code) \($0.message)" } ?? "done"
        world.note("link \(index) \(event.isPush ? "push" : "pull") \(name): \(outcome)")
        guard !event.isPush, event.error != nil,
            let number = world.scenario.collections.firstIndex(of: event.collection)
        else { return }
        probe?.forget(event.documentID, inCollection: number)
    }

    /// Stops the run properly.
    func stop() {
        cancelTimer()
        session?.stop()
    }

    /// Stops the run properly; the next one may ignore the checkpoint.
    func restart(isReset: Bool) {
        nextIsReset = isReset
        session?.stop()
    }

    /// The process has ended, and its replicator with it.
    func crash() {
        cancelTimer()
        runCount += 1  // what the old run still says counts no more
        session?.stop()
        session = nil
        status = nil
    }

    /// Tries to connect at once.
    func retryNow() { session?.retryNow() }

    private func changed(_ new: SyncStatus, _ run: Int) {
        guard run == runCount else { return }
        if new.activity != status?.activity || new.error != status?.error {
            let error = new.error.map { ", \($0.domain)/\($0.code) \($0.message)" } ?? ""
            world.note("link \(index) \(node.name) → \(other.name): \(new.activity)\(error)")
        }
        status = new
        guard new.activity == .stopped else { return }
        session = nil
        guard !world.hasEndedFaults else { return }
        // The application retries some time later.
        let delay = world.draw(plan.isContinuous ? 1...30 : 5...90)
        timer = world.loop.schedule(at: world.loop.now + .seconds(delay)) { [unowned self] in
            timer = nil
            start()
        }
    }

    private func cancelTimer() {
        if let timer { world.loop.cancel(timer) }
        timer = nil
    }
}
