public import Dispatch
import DivanLog
import DivanReplicator
import DivanSession
public import Foundation
import Synchronization

/// Syncs collections of a database with a peer.
///
/// All members can be used from any thread and return immediately. A started replicator stays alive until it has
/// stopped, even without references to it. After it has stopped, it can be started again.
///
/// Listeners receive events in order, on the main queue unless you pass another one. A program that does not run the
/// main queue (`dispatchMain()`, a run loop, or an `async` main) must pass a queue.
///
/// Source: `behaviour.md` §6–§11.
public final class Replicator: Sendable {
    /// What a replicator is doing.
    public enum ActivityLevel: UInt8, Sendable {
        /// Not started, finished, or stopped by an error.
        case stopped = 0
        /// Waiting to retry after a temporary error.
        case offline
        /// Connecting.
        case connecting
        /// Connected and in sync with the peer; continuous replicators only.
        case idle
        /// Connected, and exchanging documents.
        case busy
    }

    /// The progress of a run, in units of work, not documents.
    ///
    /// The total grows during a run.
    public struct Progress: Sendable {
        /// Units done.
        public let completed: UInt64
        /// Units known so far.
        public let total: UInt64
    }

    /// The activity, progress and current error of a replicator.
    public struct Status: Sendable {
        /// The activity.
        public let activity: ActivityLevel
        /// The progress.
        public let progress: Progress
        /// The error that stopped the replicator or made it go offline, an `NSError`; `nil` unless it is `stopped` or
        /// `offline`.
        public var error: (any Error)? {
            activity == .stopped || activity == .offline ? obstacle : nil
        }
        /// The current error, including one that does not end the run.
        package let obstacle: (any Error)?
        /// When an `offline` replicator retries; a network change may make it retry earlier.
        ///
        /// An addition to the official API.
        public internal(set) var retryDate: Date?
        /// What the replicator has been waiting for longer than ten seconds, with the time, such as
        /// `reply to rev of soup, 12 s`; `nil` if there is no such wait.
        ///
        /// Updated each time the wait doubles. An addition to the official API.
        public internal(set) var stall: String?
        /// Whether a ``TokenAuthenticator`` is fetching credentials, or could not provide any.
        ///
        /// An addition to the official API.
        public internal(set) var needsCredentials = false

        static let initial = nothingDone(.stopped)

        /// Whether all known changes are transferred, or a run ended without an error.
        var isInSync: Bool {
            obstacle == nil && (activity == .idle || activity == .stopped)
        }

        /// The status at the beginning of a run, or before the first.
        static func nothingDone(_ activity: ActivityLevel) -> Status {
            Status(activity: activity, progress: Progress(completed: 0, total: 0), obstacle: nil)
        }
    }

    struct State {
        var status = Status.initial
        var session: ActiveSession?
        var serverCertificate: SecCertificate?
        var correlationID: String?
        var resetsNext = false
        /// Since when a replicator that was started is not in sync with the peer; `nil` while it is.
        var behindSince: ContinuousClock.Instant?
    }

    /// A copy of the configuration that the replicator was created with.
    public let config: ReplicatorConfiguration

    let state = Mutex(State())
    /// Held while a status becomes current and is handed to the listeners.
    ///
    /// The next run may begin as soon as the end of this one is current, and must not be reported before it; `run()`
    /// adds its listener when no end is under way. Recursive, because an internal listener may start the replicator,
    /// and that start may fail.
    let order = NSRecursiveLock()
    /// All replicators of this process, for the metrics.
    static let living = WeakList<Replicator>()
    /// Figures of replicators that no longer exist, since counters never decrease.
    static let gone = FinishedReplicators()

    /// Identifies this replicator in the metrics.
    let label: ReplicatorLabel
    let meter = TrafficMeter()
    let changeListeners = ListenerList<ReplicatorChange>()
    let documentListeners = ListenerList<DocumentReplication>()
    let runEnd = ServiceEnd()
    /// Blobs to fetch, instead of documents.
    let errand: BlobFetchRequest?

    /// Creates a replicator; it does nothing until it is started.
    ///
    /// - Precondition: The configuration has a collection.
    public convenience init(config: ReplicatorConfiguration) {
        self.init(config: config, errand: nil)
    }

    /// Creates a replicator that only fetches blobs if it has an errand.
    init(config: ReplicatorConfiguration, errand: BlobFetchRequest?) {
        self.errand = errand
        self.config = config
        label = ReplicatorLabel(config)
        Self.living.add(self)
    }

    deinit {
        Self.gone.add(label, meter.statistics)
        changeListeners.end()
    }

    /// The current status; `connecting` after `start()` returns.
    public var status: Status { state.withLock { $0.status } }

    /// The server's certificate; `nil` before it is known, and without TLS.
    ///
    /// Available as soon as the server has sent it, even if it was rejected; reset at the next start.
    public var serverCertificate: SecCertificate? { state.withLock { $0.serverCertificate } }

    /// The ID of this connection in the logs of the server or listener, if it sent one.
    ///
    /// Available while connecting, and reset at the next start. Connections to a database in this process also have
    /// one; message endpoints have none.
    public var correlationID: String? { state.withLock { $0.correlationID } }

    /// Starts the replicator; ignored if it is already running.
    public func start() {
        start(reset: false)
    }

    /// Starts the replicator; ignored if it is already running.
    ///
    /// - Parameter reset: Whether to discard the checkpoints of earlier runs and compare all documents again. Documents
    ///   that both sides have are not transferred again.
    public func start(reset: Bool) {
        begin(reset: reset, retryingRefused: false)
    }

    func begin(reset: Bool, retryingRefused: Bool) {
        let failure: (any Error)?
        let session: ActiveSession?
        let (isFree, isReset) = state.withLock { ($0.session == nil, reset || $0.resetsNext) }
        // Before taking the lock: this may wait for a batch, and the batch may read the replicator's status.
        let made = Swift.Result {
            isFree ? try makeSession(reset: isReset, retryingRefused: retryingRefused) : nil
        }
        (session, failure) = state.withLock { state in
            guard isFree, state.session == nil else { return (nil, nil) }
            do {
                guard let session = try made.get() else { return (nil, nil) }
                try config.requiredDatabase.register(self)
                runEnd.began()
                state.session = session
                // A poller must not take the status from before the start for the end.
                state.status = .nothingDone(.connecting)
                state.serverCertificate = nil
                state.correlationID = nil
                if isReset { state.resetsNext = false }
                return (session, nil)
            } catch {
                return (nil, NSError(from: error))
            }
        }
        if let failure {
            let progress = Status.initial.progress
            publish(
                Status(activity: .stopped, progress: progress, obstacle: failure),
                ofRun: false
            )
        } else if let session {
            Journal.sync.info("Replicator to \(place): starting, \(config.replicatorType)")
            session.start()
        } else {
            Journal.sync.warning(
                "Replicator: already running, so start() is ignored; wait until it has stopped"
            )
        }
    }

    /// Stops the replicator asynchronously; ignored if it is not running.
    ///
    /// The last event has the activity `stopped`.
    public func stop() {
        state.withLock { $0.session }?.stop()
    }

    /// Makes the next `start()` discard the checkpoints of earlier runs.
    @available(*, deprecated, message: "Use start(reset: true)")
    public func resetCheckpoint() {
        state.withLock { $0.resetsNext = true }
    }
}

// MARK: - Listeners

extension Replicator {
    /// Adds a listener for status changes from now on.
    @preconcurrency
    @discardableResult
    public func addChangeListener(
        _ listener: @escaping @Sendable (ReplicatorChange) -> Void
    ) -> ListenerToken {
        addChangeListener(withQueue: nil, listener)
    }

    /// Adds a listener for status changes, called on `queue` or the main queue.
    @preconcurrency
    @discardableResult
    public func addChangeListener(
        withQueue queue: DispatchQueue?,
        _ listener: @escaping @Sendable (ReplicatorChange) -> Void
    ) -> ListenerToken {
        changeListeners.add(queue: queue, listener)
    }

    /// Adds a listener for documents replicated from now on.
    @preconcurrency
    @discardableResult
    public func addDocumentReplicationListener(
        _ listener: @escaping @Sendable (DocumentReplication) -> Void
    ) -> ListenerToken {
        addDocumentReplicationListener(withQueue: nil, listener)
    }

    /// Adds a listener for replicated documents, called on `queue` or the main queue.
    @preconcurrency
    @discardableResult
    public func addDocumentReplicationListener(
        withQueue queue: DispatchQueue?,
        _ listener: @escaping @Sendable (DocumentReplication) -> Void
    ) -> ListenerToken {
        documentListeners.add(queue: queue, listener)
    }

    /// Adds a listener for status changes; it runs on the main actor.
    ///
    /// An addition to the official API.
    @discardableResult
    public func addChangeListener(
        on actor: MainActor.Type,
        _ listener: @escaping @MainActor @Sendable (ReplicatorChange) -> Void
    ) -> ListenerToken {
        changeListeners.add(onMain: listener)
    }

    /// Adds a listener for replicated documents; it runs on the main actor.
    ///
    /// An addition to the official API.
    @discardableResult
    public func addDocumentReplicationListener(
        on actor: MainActor.Type,
        _ listener: @escaping @MainActor @Sendable (DocumentReplication) -> Void
    ) -> ListenerToken {
        documentListeners.add(onMain: listener)
    }

    /// Removes a listener of either kind.
    @available(*, deprecated, message: "Use ListenerToken.remove()")
    public func removeChangeListener(withToken token: ListenerToken) {
        token.remove()
    }
}

// MARK: - Events of the session

extension Replicator: DatabaseService {
    func beginStop() { stop() }

    func waitForStop() {
        runEnd.wait()
    }

    /// Makes a status current, then notifies the listeners.
    ///
    /// The status of a failed start (`ofRun` is false) does not end a run that another start began meanwhile.
    func publish(_ status: Status, ofRun: Bool = true) {
        let hasEnded = order.withLock {
            let (before, hasEnded) = take(status, ofRun: ofRun)
            guard let before else { return false }
            note(status, after: before)
            changeListeners.post(ReplicatorChange(replicator: self, status: status))
            return hasEnded
        }
        guard hasEnded else { return }
        config.requiredDatabase.unregister(self)
        runEnd.ended()
    }

    /// Makes a status current; if it did, returns the previous one, and whether that ended the run.
    private func take(_ status: Status, ofRun: Bool) -> (before: Status?, hasEnded: Bool) {
        state.withLock { state in
            guard ofRun || state.session == nil else { return (nil, false) }
            let before = state.status
            state.status = status
            if status.isInSync {
                state.behindSince = nil
            } else if state.behindSince == nil {
                state.behindSince = .now
            }
            guard status.activity == .stopped, state.session != nil else { return (before, false) }
            state.session = nil
            return (before, true)
        }
    }

    /// Seconds since it was in sync with the peer, or was started; 0 while it is, and if it was never started.
    var lagSeconds: Double { lagMilliseconds / 1000 }

    private var lagMilliseconds: Double {
        state.withLock { state in
            state.behindSince.map { ((ContinuousClock.now - $0) / .milliseconds(1)).rounded() } ?? 0
        }
    }

    /// Logs a change of the activity: the first thing to check when syncing does not work.
    private func note(_ status: Status, after before: Status) {
        guard status.activity != before.activity else { return }
        let (done, total) = (status.progress.completed, status.progress.total)
        Journal.sync.info("Replicator to \(place): \(status.activity), \(done) of \(total) units")
    }

    /// The target in readable form.
    private var place: String { (try? config.remoteIdentity()) ?? "\(type(of: config.target))" }

    /// Notifies the listeners of documents replicated in one direction.
    func publish(_ documents: [ReplicatedDocument], isPush: Bool) {
        documentListeners.post(
            DocumentReplication(replicator: self, isPush: isPush, documents: documents)
        )
    }
}
