public import DivanConflicts
public import DivanLog
public import DivanReplicator
public import DivanStore
public import DivanTransport

/// One run of an active peer: connects, replicates, reconnects after temporary failures, and ends.
///
/// All members can be used from any thread. The closures of the configuration are called on the session's event loop,
/// one at a time and in order; they must return quickly and must not block. A session stays alive from `start()` until
/// it has reported the status `stopped`, its last event. Create another session for the next run.
///
/// Source: `behaviour.md` §6, §7; `errors.md` §7; `websocket-and-urls.md` §7.
public final class ActiveSession: @unchecked Sendable {
    // Unchecked: all mutable state is touched only on `loop`; every public member goes there.

    /// What a session replicates, with which peer, and its callbacks.
    public struct Configuration: Sendable {
        /// The engine's configuration; its role is active.
        public var peer: PeerConfiguration
        /// Creates the transport for one attempt to connect, on the given loop if it can.
        public var makeTransport: @Sendable (any EventLoop) throws -> any MessageTransport
        /// The source of credentials that must be fetched; `nil` if there are none.
        public var credentials: CredentialSource?
        /// When a failed connection is retried; `nil` means never.
        public var retry: RetrySchedule?
        /// The resolver of each collection; others use the default resolver.
        public var resolvers: [CollectionPath: any ConflictResolver] = [:]
        /// Runs a resolver, which may be slow: by default on the library's threads.
        ///
        /// A simulation uses its loop, so that the order is deterministic.
        public var runResolver: @Sendable (@escaping @Sendable () -> Void) -> Void
        /// Stores gathered revisions while more arrive: by default on a thread of the library.
        ///
        /// A simulation uses its loop; `nil` stores immediately on the transport's loop.
        public var runStoring: (@Sendable (@escaping @Sendable () -> Void) -> Void)?
        /// Called on each change of the status.
        public var onStatus: @Sendable (SyncStatus) -> Void = { _ in }
        /// Called with the outcome for documents.
        public var onDocuments: @Sendable ([DocumentEvent]) -> Void = { _ in }
        /// Called with the progress and outcome of requested blobs.
        public var onBlob: @Sendable (BlobEvent) -> Void = { _ in }
        /// Called each time a connection is open.
        public var onOpen: @Sendable (TransportPeer) -> Void = { _ in }
        /// Called each time a connection has ended or could not be opened.
        public var onClose: @Sendable (TransportClose) -> Void = { _ in }

        /// Creates a configuration without retries and callbacks.
        public init(
            peer: PeerConfiguration,
            makeTransport: @escaping @Sendable (any EventLoop) throws -> any MessageTransport
        ) {
            self.peer = peer
            self.makeTransport = makeTransport
            runResolver = ConflictProcessor.onQueue
            runStoring = PeerDriver.storeOnQueue
        }
    }

    private enum Phase {
        case new
        /// The application is asked for credentials; the number identifies answers that come too late.
        case obtaining(Int, since: Duration)
        case connected(PeerDriver)
        case waiting(TimerToken, NetworkObservation, since: Duration)
        case over
    }

    private let store: Store
    private let loop: any EventLoop
    private let log: Log
    private let conflictProcessor: ConflictProcessor
    private let network: NetworkChanges

    private var configuration: Configuration
    private var phase = Phase.new
    private var status = SyncStatus(.stopped)
    private var peerError: SyncError?  // what the engine goes on with, or ended for
    private var wasStopped = false
    private var askCount = 0
    private var renewal: TimerToken?

    /// Creates a session that is not started.
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
        conflictProcessor = ConflictProcessor(
            store: store,
            resolvers: configuration.resolvers,
            log: log,
            run: configuration.runResolver
        )
    }

    /// Starts the run; later calls do nothing.
    ///
    /// A session that was stopped before ends immediately.
    public func start() {
        loop.execute {
            guard case .new = self.phase else { return }
            if self.wasStopped { self.finish(nil) } else { self.connect() }
        }
    }

    /// Ends the run.
    ///
    /// The status `stopped` follows. Later calls do nothing.
    public func stop() {
        loop.execute { self.stopOnLoop() }
    }

    /// Reconnects immediately if the session is waiting to reconnect, and resets the count of attempts.
    ///
    /// Called automatically when this machine's network changes.
    public func retryNow() {
        loop.execute {
            guard case .waiting(let token, _, _) = self.phase else { return }
            self.loop.cancel(token)
            self.configuration.retry?.reset()
            self.connect()
        }
    }

    private func stopOnLoop() {
        wasStopped = true
        switch phase {
        case .new, .over: break
        case .obtaining: finish(nil)
        case .connected(let driver): driver.stop()
        case .waiting(let token, _, _):
            loop.cancel(token)
            finish(nil)
        }
    }

    /// Reports what the session is waiting for, the longest wait first.
    ///
    /// Can be called from any thread; answers on a loop.
    ///
    /// If application code blocks the loop, the answer arrives afterwards.
    public func waits(_ answer: @escaping @Sendable ([SyncWait]) -> Void) {
        loop.execute {
            switch self.phase {
            case .new, .over: answer([])
            case .obtaining(_, let since):
                answer([SyncWait(.credentials, for: self.loop.now - since)])
            case .connected(let driver): driver.waits(answer)
            case .waiting(_, _, let since):
                answer([SyncWait(.attempt, for: self.loop.now - since)])
            }
        }
    }
}

// MARK: - One connection after another

extension ActiveSession {
    /// Begins an attempt: asks for credentials if they have to be fetched.
    private func connect() {
        peerError = nil
        guard let source = configuration.credentials else { return open() }
        askCount += 1
        let number = askCount
        phase = .obtaining(number, since: loop.now)
        var next = SyncStatus(.connecting)
        next.needsCredentials = true
        reportStatus(next)
        source.obtain { outcome in self.loop.execute { self.obtained(number, outcome) } }
        warnOfSilence(number, after: configuration.peer.limits.patience)
    }

    private func obtained(_ number: Int, _ outcome: CredentialSource.Outcome) {
        guard case .obtaining(number, _) = phase else { return }
        switch outcome {
        case .ready: open()
        case .denied(let error): finish(error, needsCredentials: true)
        case .unavailable(let error):
            // A server's 401 is final; here another attempt asks again.
            let rule = SyncError(.http(.serviceUnavailable))
            failed(error, as: rule, retryAfter: nil, needsCredentials: true)
        }
    }

    /// Logs that the application has not answered, again each time the wait has doubled.
    private func warnOfSilence(_ number: Int, after patience: Duration) {
        loop.schedule(at: loop.now + patience) { [weak self] in
            guard let self, case .obtaining(number, let since) = phase else { return }
            let wait = SyncWait(.credentials, for: loop.now - since)
            log.warning("Replicator is waiting for: \(wait)")
            var next = status
            next.stall = wait
            reportStatus(next)
            warnOfSilence(number, after: wait.duration)
        }
    }

    private func open() {
        reportStatus(SyncStatus(.connecting))
        let transport: any MessageTransport
        do {
            transport = try configuration.makeTransport(loop)
        } catch {
            finish(SyncError(settingUp: error))
            return
        }
        configuration.peer.storesBeside = configuration.runStoring != nil
        let driver = PeerDriver(
            configuration.peer.makePeer(store: store, log: log),
            transport: transport,
            store: store,
            conflictProcessor: conflictProcessor,
            watchesStore: configuration.peer.isContinuous,
            runStoring: configuration.runStoring,
            hooks: hooks
        )
        phase = .connected(driver)
        driver.start()
    }

    /// The driver calls these on its transport's loop, which need not be the session's.
    private var hooks: PeerDriver.Hooks {
        PeerDriver.Hooks(
            onOpen: { peer in self.onLoop { self.connected(peer) } },
            onStatus: { status in self.onLoop { self.peerChanged(status) } },
            onDocuments: { events in
                self.onLoop { self.configuration.onDocuments(events) }
            },
            onBlob: { event in self.onLoop { self.configuration.onBlob(event) } },
            onEnd: { end in self.onLoop { self.ended(end) } }
        )
    }

    private func onLoop(_ work: @escaping @Sendable () -> Void) {
        if loop.isCurrent { work() } else { loop.execute(work) }
    }

    private func connected(_ peer: TransportPeer) {
        configuration.onOpen(peer)
        renewLater(configuration.credentials?.accepted())
    }

    /// Obtains new credentials before those in use expire, so that the next attempt has some; the
    /// open connection goes on.
    private func renewLater(_ delay: Duration?) {
        if let renewal { loop.cancel(renewal) }
        renewal = delay.map { delay in
            loop.schedule(at: loop.now + delay) { [weak self] in
                guard let self, case .connected = phase else { return }
                configuration.credentials?.obtain { [weak self] outcome in
                    self?.renewed(outcome)
                }
            }
        }
    }

    private func renewed(_ outcome: CredentialSource.Outcome) {
        loop.execute {
            guard case .connected = self.phase else { return }
            switch outcome {
            case .ready: self.renewLater(self.configuration.credentials?.accepted())
            case .unavailable(let error), .denied(let error):
                self.log.warning("\(error); the connection continues with its current credentials")
            }
        }
    }

    private func peerChanged(_ peerStatus: SyncStatus) {
        peerError = peerStatus.error
        // A server that accepts everybody and then hangs up has been of no use: attempts keep
        // counting until a document was transferred, or both sides are in sync.
        if peerStatus.documentCount > 0 || peerStatus.activity == .idle {
            configuration.retry?.reset()
        }
        if peerStatus.activity == .idle { configuration.peer.clearReset() }
        var next = peerStatus
        if peerStatus.activity == .stopped {
            // Reported when the transport is closed and conflicts are settled.
            next.activity = status.activity
            next.error = status.error
        }
        reportStatus(next)
    }

    private func ended(_ end: PeerEnd) {
        if let close = end.close { configuration.onClose(close) }
        // A reset is repeated until there is progress to continue from.
        if end.hasSavedProgress { configuration.peer.clearReset() }
        guard !wasStopped, let error = end.reportedError ?? peerError else {
            finish(nil)
            return
        }
        if error.wireCode == .http(.unauthorized), let source = configuration.credentials {
            if source.refused() { return connect() }
            return finish(error, needsCredentials: true)
        }
        if case .failed(let failure)? = end.close,
            let mismatch = SchemeMismatch(failure, scheme: store.scheme)
        {
            return failed(mismatch.syncError, as: mismatch.retryError, retryAfter: nil)
        }
        let wish = end.close?.retryAfter(at: configuration.peer.secondsSince1970())
        failed(error, as: end.retryError, retryAfter: wish)
    }

    /// An attempt failed: either another one follows later, or none.
    private func failed(
        _ error: SyncError,
        as rule: SyncError? = nil,
        retryAfter wish: Duration?,
        needsCredentials: Bool = false
    ) {
        switch configuration.retry?.failed(with: rule ?? error, retryAfter: wish) {
        case nil, .giveUp?:
            finish(error, needsCredentials: needsCredentials)
        case .retry(let delay)?:
            log.warning("\(error); next attempt in \(delay)")
            wait(for: delay, after: error, needsCredentials: needsCredentials)
        }
    }

    private func wait(for delay: Duration, after error: SyncError, needsCredentials: Bool) {
        let token = loop.schedule(at: loop.now + delay) {
            guard case .waiting = self.phase else { return }
            self.connect()
        }
        let observation = network.observe { [weak self] in self?.retryNow() }
        phase = .waiting(token, observation, since: loop.now)
        var next = status
        next.activity = .offline
        next.retryDelay = delay
        next.error = error
        next.stall = nil
        next.needsCredentials = needsCredentials
        reportStatus(next)
    }

    private func finish(_ error: SyncError?, needsCredentials: Bool = false) {
        phase = .over
        renewLater(nil)
        var last = status
        last.activity = .stopped
        last.retryDelay = nil
        last.error = error
        last.stall = nil
        last.needsCredentials = needsCredentials
        status = last
        configuration.onStatus(last)
    }

    private func reportStatus(_ next: SyncStatus) {
        guard next != status else { return }
        status = next
        configuration.onStatus(next)
    }
}
