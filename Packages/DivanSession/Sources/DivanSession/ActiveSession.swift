public import DivanConflicts
public import DivanLog
public import DivanReplicator
public import DivanStore
public import DivanTransport

/// One run of an active peer: connects, replicates, connects again after a temporary failure, and
/// ends.
///
/// All members may be called from any thread. The closures of the configuration are called on
/// the session's event loop, one at a time and in order; they must be quick and must not block.
/// A session keeps itself alive from `start()` until it has told the status `stopped`, which is
/// the last thing it does; make another one for the next run.
///
/// Source: `behaviour.md` §6, §7; `websocket-and-urls.md` §6, §7.
public final class ActiveSession: @unchecked Sendable {
    // Unchecked: all mutable state is touched on `loop` only; every public member goes there.

    /// What a session replicates, with whom, and whom it tells.
    public struct Configuration: Sendable {
        /// The engine's configuration; its role is active.
        public var peer: PeerConfiguration
        /// Makes the transport for one attempt to connect, on the given loop if it can.
        public var makeTransport: @Sendable (any EventLoop) throws -> any MessageTransport
        /// When a failed connection is tried again; `nil` means never.
        public var retry: RetrySchedule?
        /// Who decides about conflicts in a collection; the default rule where nothing is given.
        public var resolvers: [CollectionPath: any ConflictResolver] = [:]
        /// Where resolvers run, which may take long: on threads of the library's own.
        ///
        /// A simulation hands in its loop, so that everything happens in one order.
        public var runResolver: @Sendable (@escaping @Sendable () -> Void) -> Void
        /// Told each change of the status.
        public var onStatus: @Sendable (SyncStatus) -> Void = { _ in }
        /// Told what became of documents.
        public var onDocuments: @Sendable ([DocumentEvent]) -> Void = { _ in }
        /// Told each time a connection stands.
        public var onOpen: @Sendable (TransportPeer) -> Void = { _ in }
        /// Told each time a connection ended or could not be made.
        public var onClose: @Sendable (TransportClose) -> Void = { _ in }

        /// Creates a configuration that retries nothing and tells nobody.
        public init(
            peer: PeerConfiguration,
            makeTransport: @escaping @Sendable (any EventLoop) throws -> any MessageTransport
        ) {
            self.peer = peer
            self.makeTransport = makeTransport
            runResolver = ConflictSettler.onQueue
        }
    }

    private enum Phase {
        case new
        case connected(PeerDriver)
        case waiting(TimerToken, NetworkObservation)
        case over
    }

    private let store: Store
    private let loop: any EventLoop
    private let log: Log
    private let settler: ConflictSettler
    private let network: NetworkChanges

    private var configuration: Configuration
    private var phase = Phase.new
    private var status = SyncStatus(.stopped)
    private var peerError: SyncError?  // what the engine goes on with, or ended for
    private var wasStopped = false

    /// Creates a session that is not started yet.
    public init(
        store: Store,
        configuration: Configuration,
        loop: any EventLoop = EventLoopGroup.shared.next(),
        network: NetworkChanges = .shared,
        log: Log = Log(.sync, to: .shared)
    ) {
        self.store = store
        self.network = network
        self.configuration = configuration
        self.loop = loop
        self.log = log
        settler = ConflictSettler(
            store: store,
            resolvers: configuration.resolvers,
            log: log,
            run: configuration.runResolver
        )
    }

    /// Starts the run; later calls do nothing.
    ///
    /// One that was stopped before ends at once.
    public func start() {
        loop.execute {
            guard case .new = self.phase else { return }
            if self.wasStopped { self.finish(nil) } else { self.connect() }
        }
    }

    /// Ends the run in order.
    ///
    /// The status `stopped` follows. Later calls do nothing.
    public func stop() {
        loop.execute { self.stopOnLoop() }
    }

    /// Connects at once when the session waits to connect again, and counts attempts anew.
    ///
    /// Called by itself when this machine's network changes.
    public func retryNow() {
        loop.execute {
            guard case .waiting(let token, _) = self.phase else { return }
            self.loop.cancel(token)
            self.configuration.retry?.reset()
            self.connect()
        }
    }

    private func stopOnLoop() {
        wasStopped = true
        switch phase {
        case .new, .over: break
        case .connected(let driver): driver.stop()
        case .waiting(let token, _):
            loop.cancel(token)
            finish(nil)
        }
    }
}

// MARK: - One connection after another

extension ActiveSession {
    private func connect() {
        peerError = nil
        tell(SyncStatus(.connecting))
        let transport: any MessageTransport
        do {
            transport = try configuration.makeTransport(loop)
        } catch {
            finish(SyncError(settingUp: error))
            return
        }
        let driver = PeerDriver(
            configuration.peer.makePeer(store: store, log: log),
            transport: transport,
            store: store,
            settler: settler,
            watchesStore: configuration.peer.isContinuous,
            hooks: hooks
        )
        phase = .connected(driver)
        driver.start()
    }

    /// The driver speaks on its transport's loop, which need not be the session's.
    private var hooks: PeerDriver.Hooks {
        PeerDriver.Hooks(
            onOpen: { peer in self.onLoop { self.connected(peer) } },
            onStatus: { status in self.onLoop { self.peerChanged(status) } },
            onDocuments: { events in
                self.onLoop { self.configuration.onDocuments(events) }
            },
            onEnd: { end in self.onLoop { self.ended(end) } }
        )
    }

    private func onLoop(_ work: @escaping @Sendable () -> Void) {
        if loop.isCurrent { work() } else { loop.execute(work) }
    }

    private func connected(_ peer: TransportPeer) {
        // A reset concerns the first connection: the next one goes on where this one ends.
        configuration.peer.clearReset()
        configuration.onOpen(peer)
    }

    private func peerChanged(_ peerStatus: SyncStatus) {
        peerError = peerStatus.error
        // A server that lets everybody in and then hangs up has done nothing for us: the attempts
        // count on until a document went over, or both sides are level.
        if peerStatus.documentCount > 0 || peerStatus.activity == .idle {
            configuration.retry?.reset()
        }
        var next = peerStatus
        if peerStatus.activity == .stopped {
            // Told when the transport is closed and conflicts are settled.
            next.activity = status.activity
            next.error = status.error
        }
        tell(next)
    }

    private func ended(_ end: PeerEnd) {
        if let close = end.close { configuration.onClose(close) }
        guard !wasStopped, let error = end.reportedError ?? peerError else {
            finish(nil)
            return
        }
        let wish = end.close?.retryAfter(at: configuration.peer.secondsSince1970())
        switch configuration.retry?.failed(with: end.retryError ?? error, retryAfter: wish) {
        case nil, .giveUp?:
            finish(error)
        case .retry(let delay)?:
            log.warning("\(error); next attempt in \(delay)")
            wait(for: delay, after: error)
        }
    }

    private func wait(for delay: Duration, after error: SyncError) {
        let token = loop.schedule(at: loop.now + delay) {
            guard case .waiting = self.phase else { return }
            self.connect()
        }
        phase = .waiting(token, network.observe { [weak self] in self?.retryNow() })
        var next = status
        next.activity = .offline
        next.retryDelay = delay
        next.error = error
        tell(next)
    }

    private func finish(_ error: SyncError?) {
        phase = .over
        var last = status
        last.activity = .stopped
        last.retryDelay = nil
        last.error = error
        status = last
        configuration.onStatus(last)
    }

    private func tell(_ next: SyncStatus) {
        guard next != status else { return }
        status = next
        configuration.onStatus(next)
    }
}
