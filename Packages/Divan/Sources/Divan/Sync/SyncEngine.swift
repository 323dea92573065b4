@_spi(Modern) internal import CouchbaseLiteSwift
internal import Dispatch
internal import Foundation
internal import Synchronization

/// Runs the replicators of a sync, one run after another.
///
/// Everything that may block happens on its queue, and so does every event, so that events are in order. The
/// application's callbacks hold the bridge only, so that a released sync ends its sequences.
final class SyncEngine: Sendable {
    typealias Completion = @Sendable (Swift.Result<Sync.Summary, DivanError>) -> Void

    /// One call of `run` or `start`.
    final class Request: Sendable {
        let retryingRefused: Bool
        let reset: Bool
        /// Set before the request is known here, if its task is cancelled that early.
        private let cancelled = Atomic(false)

        var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

        init(retryingRefused: Bool, reset: Bool) {
            self.retryingRefused = retryingRefused
            self.reset = reset
        }

        func cancel() { cancelled.store(true, ordering: .releasing) }
    }

    /// A run that is in progress or waits for its turn.
    private struct Job {
        let request: Request
        /// `nil` for a continuous run.
        let completion: Completion?
        var replicator: Replicator?
        var isLaunched = false
        var isStopped = false
        var before = Sync.Statistics()
        var failures: [Sync.ReplicatedDocument] = []
        var failureCount = 0

        var isContinuous: Bool { completion == nil }
        var mustEnd: Bool { isStopped || request.isCancelled }

        init(_ request: Request, _ completion: Completion?) {
            self.request = request
            self.completion = completion
        }
    }

    private struct Kept {
        let replicator: Replicator
        let collections: [String]
    }

    private struct State {
        var status = Sync.Status.initial
        var job: Job?
        var waiting: [Job] = []
        var kept: [Bool: Kept] = [:]
        var latest: Replicator?
        /// The traffic of replicators that were replaced.
        var past = Sync.Statistics()
        var stopWaiters: [CheckedContinuation<Void, Never>] = []
        var runReaders: [AsyncStream<Sync.Status>.Continuation] = []
    }

    /// Failed documents that a summary contains.
    private static let failureLimit = 1_000

    let settings: SyncSettings
    let statuses = Broadcast<Sync.Status>()
    let documents = Broadcast<Sync.ReplicatedDocument>()
    private let bridge = CallbackBridge()
    private let queue = DispatchQueue(label: "divan.sync")
    private let state = Mutex(State())

    init(_ settings: SyncSettings) {
        self.settings = settings
    }

    deinit {
        for reader in state.withLock({ $0.runReaders }) { reader.finish() }
    }

    var status: Sync.Status { state.withLock { $0.status } }

    var peerCertificate: Certificate? {
        state.withLock { $0.latest }?.serverCertificate.map { Certificate($0.certificate) }
    }

    var connectionID: String? { state.withLock { $0.latest }?.correlationID }

    var statistics: Sync.Statistics {
        let (past, kept, latest) = state.withLock {
            ($0.past, Array($0.kept.values), $0.latest)
        }
        var sum = past
        for entry in kept { sum.add(entry.replicator.statistics) }
        let current = latest?.statistics
        sum.remainingCount = Int(clamping: current?.remainingDocumentCount ?? 0)
        sum.compression = current?.compression
        return sum
    }

    var cancellation: DivanError {
        DivanError(.cancelled, place: settings.place, problem: "cancelled")
    }

    /// A replicator with the current collections, for questions about them.
    func replicator() throws -> Replicator {
        try DivanError.converting(place: settings.place) {
            try replicator(isContinuous: state.withLock { $0.job?.isContinuous ?? false })
        }
    }
}

// MARK: - Beginning

extension SyncEngine {
    /// Runs once after the current run; `completion` is called when the run has ended, or failed.
    func runOnce(_ request: Request, _ completion: @escaping Completion) {
        let isBusy = state.withLock { state in
            if state.job?.isContinuous == true || state.waiting.contains(where: \.isContinuous) {
                return true
            }
            enqueue(Job(request, completion), &state)
            return false
        }
        guard isBusy else { return }
        completion(
            .failure(
                DivanError(
                    .busy,
                    place: settings.place,
                    problem: "the sync runs continuously",
                    remedy: "stop it first, or wait until it is idle"
                )
            )
        )
    }

    /// Runs once, and blocks until the run has ended.
    func runOnceBlocking(_ request: Request) throws -> Sync.Summary {
        let end = AwaitedResult<Sync.Summary, DivanError>()
        runOnce(request) { end.set($0) }
        guard let result = end.wait() else { throw cancellation }
        return try result.get()
    }

    /// Begins a continuous run, after the current run; does nothing if there is one.
    func runContinuously(_ request: Request) {
        state.withLock { state in
            if state.job?.isContinuous == true || state.waiting.contains(where: \.isContinuous) {
                return
            }
            enqueue(Job(request, nil), &state)
        }
    }

    /// The status changes of the current or next continuous run.
    func statusesOfRun() -> AsyncStream<Sync.Status> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Sync.Status.self,
            bufferingPolicy: .bufferingNewest(1_024)
        )
        state.withLock { state in
            if state.job?.isContinuous == true { continuation.yield(state.status) }
            state.runReaders.append(continuation)
        }
        return stream
    }

    private func enqueue(_ job: Job, _ state: inout State) {
        guard state.job == nil else {
            state.waiting.append(job)
            return
        }
        state.job = job
        state.status = Sync.Status(activity: .connecting)
        queue.async { self.launch(job.request) }
    }

    /// Starts the replicator of the current job; on the queue, because it may wait for a transaction.
    private func launch(_ request: Request) {
        report(Sync.Status(activity: .connecting))
        let job = state.withLock { $0.job }
        guard let job, job.request === request else { return }
        guard !job.mustEnd else { return end(Sync.Status(activity: .stopped)) }
        let replicator: Replicator
        do {
            replicator = try self.replicator(isContinuous: job.isContinuous)
        } catch {
            let failure = DivanError(error, place: settings.place)
            return end(Sync.Status(activity: .stopped, error: failure))
        }
        var before = Sync.Statistics()
        before.add(replicator.statistics)
        state.withLock { state in
            state.job?.replicator = replicator
            state.job?.before = before
            state.latest = replicator
        }
        replicator.start(reset: request.reset, retryingRefused: request.retryingRefused)
        let isStopped = state.withLock { state in
            guard state.job?.request === request else { return false }
            state.job?.isLaunched = true
            return state.job?.mustEnd == true
        }
        if isStopped { replicator.stop() }
    }

    /// The kept replicator, unless the collections have changed since it was created.
    private func replicator(isContinuous: Bool) throws -> Replicator {
        let selections = try settings.currentSelections()
        let names = selections.map(\.collection.description)
        let kept = state.withLock { $0.kept[isContinuous] }
        if let kept, kept.collections == names,
            kept.replicator.config.collections == selections.map(\.collection.official)
        {
            return kept.replicator
        }
        let made = Replicator(
            config: try settings.configuration(
                of: selections,
                isContinuous: isContinuous,
                bridge: bridge
            )
        )
        made.addChangeListener(withQueue: queue) { [weak self, weak made] change in
            if let made { self?.note(change.status, of: made) }
        }
        made.addDocumentReplicationListener(withQueue: queue) { [weak self] event in
            self?.note(event)
        }
        return state.withLock { state in
            if let other = state.kept[isContinuous], other.replicator !== kept?.replicator {
                // Another thread was faster.
                return other.replicator
            }
            if let kept { state.past.add(kept.replicator.statistics) }
            state.kept[isContinuous] = Kept(replicator: made, collections: names)
            return made
        }
    }
}

// MARK: - Events, on the queue

extension SyncEngine {
    private func note(_ status: Replicator.Status, of replicator: Replicator) {
        guard state.withLock({ $0.job?.replicator === replicator }) else { return }
        let status = Sync.Status(status, place: settings.place)
        if status.activity == .stopped { end(status) } else { report(status) }
    }

    private func note(_ event: DocumentReplication) {
        let documents = event.documents.map {
            Sync.ReplicatedDocument($0, isPush: event.isPush)
        }
        let failures = documents.filter { $0.error != nil }
        if !failures.isEmpty {
            state.withLock { state in
                guard var job = state.job else { return }
                job.failureCount += failures.count
                job.failures += failures.prefix(Self.failureLimit - job.failures.count)
                state.job = job
            }
        }
        guard !self.documents.isEmpty else { return }
        for document in documents { self.documents.send(document) }
    }

    private func report(_ status: Sync.Status) {
        let readers = state.withLock { state in
            state.status = status
            return state.job?.isContinuous == true ? state.runReaders : []
        }
        statuses.send(status)
        for reader in readers { reader.yield(status) }
    }

    /// Ends the current job, and begins the next one.
    private func end(_ status: Sync.Status) {
        report(status)
        documents.finish()
        let (ended, next, readers, waiters) = state.withLock { state in
            let ended = state.job
            bridge.resume()
            state.job = state.waiting.isEmpty ? nil : state.waiting.removeFirst()
            var readers: [AsyncStream<Sync.Status>.Continuation] = []
            if ended?.isContinuous == true { swap(&readers, &state.runReaders) }
            var waiters: [CheckedContinuation<Void, Never>] = []
            if state.job == nil { swap(&waiters, &state.stopWaiters) }
            return (ended, state.job?.request, readers, waiters)
        }
        for reader in readers { reader.finish() }
        if let ended { ended.completion?(result(of: ended, status)) }
        for waiter in waiters { waiter.resume() }
        if let next { queue.async { self.launch(next) } }
    }

    private func result(
        of job: Job,
        _ status: Sync.Status
    ) -> Swift.Result<Sync.Summary, DivanError> {
        if let error = status.error { return .failure(error) }
        if job.mustEnd { return .failure(cancellation) }
        var after = Sync.Statistics()
        if let replicator = job.replicator { after.add(replicator.statistics) }
        return .success(
            Sync.Summary(
                pushedCount: after.pushedCount - job.before.pushedCount,
                pulledCount: after.pulledCount - job.before.pulledCount,
                sentByteCount: after.sentByteCount - job.before.sentByteCount,
                receivedByteCount: after.receivedByteCount - job.before.receivedByteCount,
                failures: job.failures,
                failureCount: job.failureCount
            )
        )
    }
}

// MARK: - Stopping

extension SyncEngine {
    /// Stops the run, and those that wait.
    func stop() {
        let (replicator, waiting, readers) = state.withLock { state in
            state.job?.isStopped = true
            // Until the run has ended; under the lock, so that no later run is affected.
            if state.job != nil { bridge.cancelNew() }
            var waiting: [Job] = []
            swap(&waiting, &state.waiting)
            var readers: [AsyncStream<Sync.Status>.Continuation] = []
            if state.job?.isContinuous != true { swap(&readers, &state.runReaders) }
            let launched = state.job?.isLaunched == true ? state.job?.replicator : nil
            return (launched, waiting, readers)
        }
        replicator?.stop()
        bridge.cancelRunning()
        for reader in readers { reader.finish() }
        for job in waiting { job.completion?(.failure(cancellation)) }
    }

    /// Stops the run, and waits until it has stopped; does not wait inside a callback, which the run waits for.
    func stopAndWait() async {
        stop()
        guard !CallbackBridge.isRunning else { return }
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                guard state.job != nil else { return true }
                state.stopWaiters.append(continuation)
                return false
            }
            if isOver { continuation.resume() }
        }
    }

    /// Ends one request, which runs or waits.
    func cancel(_ request: Request) {
        request.cancel()
        let (isCurrent, waiting) = state.withLock { state in
            if state.job?.request === request {
                bridge.cancelNew()
                return (true, Job?.none)
            }
            let index = state.waiting.firstIndex { $0.request === request }
            return (false, index.map { state.waiting.remove(at: $0) })
        }
        waiting?.completion?(.failure(cancellation))
        guard isCurrent else { return }
        let replicator = state.withLock { state in
            let isLaunched = state.job?.request === request && state.job?.isLaunched == true
            return isLaunched ? state.job?.replicator : nil
        }
        replicator?.stop()
        bridge.cancelRunning()
    }
}
