import Dispatch
import DivanDatabase
import DivanReplicator
import DivanRevisions
import Foundation
import Synchronization

/// Fetches blobs that replicators have left at their peers, many over one connection.
///
/// **What it promises.** Each call of `fetch` ends: with the blob in the store, with the error of the connection or of
/// the blob, or cancelled. A blob is fetched once for all waiters.
///
/// **Its steps.** Calls queue up. When no connection is under way, one starts and takes all queued calls for the same
/// peer; later calls wait for the next one. A lost connection is reopened by the session, with the same blobs.
///
/// **Its limits.** One connection fetches at most `batchCount` blobs.
final class RemoteBlobFetcher: Sendable {
    typealias Progress = @Sendable (_ received: Int, _ resumed: Int) -> Void

    /// Blobs per connection; the next thousand get their own.
    private static let batchCount = 1_000

    /// A call that waits for a blob.
    private struct Waiter {
        let number: Int
        let progress: Progress
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct PendingFetch {
        let digest: BlobDigest
        /// The content, once for each document that may have it at the peer.
        let blobs: [RequestedBlob]
        let configuration: ReplicatorConfiguration
        var waiters: [Waiter]

        mutating func take(_ number: Int) -> Waiter? {
            guard let place = waiters.firstIndex(where: { $0.number == number }) else { return nil }
            return waiters.remove(at: place)
        }
    }

    private struct State {
        var line = KeyedQueue<BlobDigest, PendingFetch>()
        var underway: [BlobDigest: PendingFetch] = [:]
        /// The blob that each waiter waits for.
        var wanted: [Int: BlobDigest] = [:]
        var replicator: Replicator?
        var waiterCount = 0
        var cancelled: Set<Int> = []

        /// Removes a waiter, wherever it is.
        mutating func take(_ number: Int) -> Waiter? {
            guard let digest = wanted.removeValue(forKey: number) else { return nil }
            if let waiter = underway[digest]?.take(number) { return waiter }
            let waiter = line.update(digest) { $0.take(number) } ?? nil
            if line[digest]?.waiters.isEmpty == true { line.remove(digest) }
            return waiter
        }

        /// Forgets waiters that are about to be resumed.
        mutating func forget(_ waiters: [Waiter]) {
            for waiter in waiters { wanted[waiter.number] = nil }
        }
    }

    private let state = Mutex(State())
    /// Where the next connection starts: a failing start has ended when it returns, and starting the next one from
    /// there would deepen the stack each time.
    private let queue = DispatchQueue(label: "divan.blob-fetcher")
    /// Called after a connection's blobs are chosen and before it starts, where a test cancels one.
    private let willStart: @Sendable () -> Void

    init(willStart: @escaping @Sendable () -> Void = {}) {
        self.willStart = willStart
    }

    /// Blobs in the queue.
    var waitingCount: Int { state.withLock { $0.line.count } }

    /// Fetches one blob.
    ///
    /// - Throws: As `Blob.fetch`.
    func fetch(
        _ digest: BlobDigest,
        for database: Database,
        from given: ReplicatorConfiguration?,
        progress: @escaping Progress
    ) async throws {
        let (blobs, configuration) = try route(digest, for: database, from: given)
        let number = state.withLock { state in
            state.waiterCount += 1
            return state.waiterCount
        }
        // A cancellation after the end has no waiter to cancel.
        defer { state.withLock { _ = $0.cancelled.remove(number) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let waiter = Waiter(number: number, progress: progress, continuation: continuation)
                let pending = PendingFetch(
                    digest: digest,
                    blobs: blobs,
                    configuration: configuration,
                    waiters: [waiter]
                )
                add(waiter, for: pending)
            }
        } onCancel: {
            cancel(number)
        }
        let store = try database.openStore()
        guard store.blobs.contains(digest) else {
            throw ReplicationFailure.unknownBlob("\(digest)").error
        }
        try? store.write { try $0.noteArrived(digest) }
    }

    /// The documents under which the peer has a blob, and how to reach the peer.
    private func route(
        _ digest: BlobDigest,
        for database: Database,
        from given: ReplicatorConfiguration?
    ) throws -> ([RequestedBlob], ReplicatorConfiguration) {
        let store = try database.openStore()
        let names = try translatingErrors { try store.read { try $0.absentBlobNames(digest) } }
        guard !names.isEmpty else {
            throw ReplicationFailure.unknownBlob("\(digest)").error
        }
        let living = Replicator.living.all.reversed().lazy
            .filter { replicator in
                // Several objects may represent the file, and some of them may be closed.
                let itsStore = try? replicator.config.requiredDatabase.openStore()
                return replicator.errand == nil && itsStore === store
            }
        let known = given.map { [$0] } ?? living.map(\.config)
        for var configuration in known
        where (try? configuration.requiredDatabase.openStore()) === store {
            let paths = configuration.collections.filter(\.isValid).map(\.path)
            let blobs = names.filter { paths.contains($0.collection) }
                .map { RequestedBlob(digest, of: $0.documentID, in: $0.collection) }
            guard !blobs.isEmpty else { continue }
            configuration.continuous = false
            configuration.replicatorType = .pull
            return (blobs, configuration)
        }
        throw ReplicationFailure.noWayToBlob("\(digest)").error
    }

    private func add(_ waiter: Waiter, for pending: PendingFetch) {
        let digest = pending.digest
        let isCancelled = state.withLock { state in
            guard state.cancelled.remove(waiter.number) == nil else { return true }
            state.wanted[waiter.number] = digest
            if state.underway[digest]?.waiters.append(waiter) != nil { return false }
            if state.line.update(digest, { $0.waiters.append(waiter) }) == nil {
                state.line.append(pending, under: digest)
            }
            return false
        }
        if isCancelled { waiter.continuation.resume(throwing: CancellationError()) }
        startNext()
    }

    private func cancel(_ number: Int) {
        let (waiter, replicator) = state.withLock { state -> (Waiter?, Replicator?) in
            guard let waiter = state.take(number) else {
                state.cancelled.insert(number)
                return (nil, nil)
            }
            let isNeeded = state.underway.values.contains { !$0.waiters.isEmpty }
            // A call that arrives while it stops waits for the next connection.
            if !isNeeded { state.underway = [:] }
            return (waiter, isNeeded ? nil : state.replicator)
        }
        waiter?.continuation.resume(throwing: CancellationError())
        replicator?.stop()
    }
}

extension RemoteBlobFetcher: DatabaseService {
    /// It is kept once a blob has been fetched, and has nothing to end.
    var endsBesideBatches: Bool { true }

    /// The replicators of its connections are stopped like all others.
    func beginStop() {}

    func waitForStop() {}
}

// MARK: - One connection after another

extension RemoteBlobFetcher {
    /// Starts a connection for the queued calls to one peer, unless one is under way.
    private func startNext() {
        let replicator = state.withLock { state -> Replicator? in
            guard state.replicator == nil else { return nil }
            var leader: (configuration: ReplicatorConfiguration, isOpen: Bool)?
            var count = 0
            let batch = state.line.take { pending in
                if let leader {
                    guard leader.isOpen, count < Self.batchCount,
                        pending.configuration.leads(whereDoes: leader.configuration),
                        pending.configuration.isOpen
                    else { return false }
                } else {
                    // One whose collection was deleted while it was queued fails on its own.
                    leader = (pending.configuration, pending.configuration.isOpen)
                }
                count += 1
                return true
            }
            guard let first = batch.first else { return nil }
            for pending in batch { state.underway[pending.digest] = pending }
            var configuration = first.configuration
            configuration.join(batch.map(\.configuration))
            let errand = BlobFetchRequest(blobs: batch.flatMap(\.blobs)) { [self] in take($0) }
            let replicator = Replicator(config: configuration, errand: errand)
            state.replicator = replicator
            return replicator
        }
        guard let replicator else { return }
        _ = replicator.changeListeners.addInline { [self] change in
            if change.status.activity == .stopped { ended(change.status.error) }
        }
        willStart()
        replicator.start()
        // A call that was cancelled meanwhile found no run to stop.
        let isWanted = state.withLock { $0.replicator !== replicator || !$0.underway.isEmpty }
        if !isWanted { replicator.stop() }
    }

    /// Handles news of a blob.
    private func take(_ event: BlobEvent) {
        switch event.state {
        case .arriving(let byteCount, let resumed):
            let waiters = state.withLock { $0.underway[event.digest]?.waiters ?? [] }
            for waiter in waiters {
                ServiceCallback.run { waiter.progress(byteCount, resumed) }
            }
        case .arrived: finish(event.digest, .success(()))
        case .failed(let error): finish(event.digest, .failure(NSError(from: error)))
        }
    }

    private func finish(_ digest: BlobDigest, _ result: Swift.Result<Void, any Error>) {
        let pending = state.withLock { state in
            let pending = state.underway.removeValue(forKey: digest)
            state.forget(pending?.waiters ?? [])
            return pending
        }
        for waiter in pending?.waiters ?? [] { waiter.continuation.resume(with: result) }
    }

    private func ended(_ error: (any Error)?) {
        let rest = state.withLock { state in
            state.replicator = nil
            defer { state.underway = [:] }
            let waiters = state.underway.values.flatMap(\.waiters)
            state.forget(waiters)
            return waiters
        }
        let failure = error ?? CancellationError()
        for waiter in rest { waiter.continuation.resume(throwing: failure) }
        queue.async { [self] in startNext() }
    }
}

extension ReplicatorConfiguration {
    /// Whether all of its collections still exist.
    fileprivate var isOpen: Bool { (try? collections.requireOpen()) != nil }

    /// Whether one connection can serve both: the same peer and the same user.
    fileprivate func leads(whereDoes other: ReplicatorConfiguration) -> Bool {
        guard let mine = try? remoteIdentity(), let theirs = try? other.remoteIdentity() else {
            return false
        }
        return areSame(mine, theirs) && headers == other.headers && asks(asDoes: other)
    }

    /// Whether both name the same user.
    private func asks(asDoes other: ReplicatorConfiguration) -> Bool {
        switch (authenticator, other.authenticator) {
        case (nil, nil): true
        case (let mine as BasicAuthenticator, let theirs as BasicAuthenticator):
            areSame(mine.username, theirs.username) && areSame(mine.password, theirs.password)
        case (let mine as SessionAuthenticator, let theirs as SessionAuthenticator):
            areSame(mine.sessionID, theirs.sessionID) && areSame(mine.cookieName, theirs.cookieName)
        // For other types, only the same object is known to be the same user.
        case (let mine?, let theirs?): (mine as AnyObject) === (theirs as AnyObject)
        default: false
        }
    }

    private func areSame(_ mine: String, _ theirs: String) -> Bool {
        mine.utf8.elementsEqual(theirs.utf8)
    }

    /// Adds the collections of other configurations for the same peer.
    fileprivate mutating func join(_ others: [ReplicatorConfiguration]) {
        for other in others {
            for collection in other.collections where collectionConfig(collection) == nil {
                guard collection.database === requiredDatabase,
                    let entry = other.collectionConfig(collection)
                else { continue }
                // Not `addCollection`, which stops the program if the collection was just deleted.
                enter(collection, entry)
            }
        }
    }
}
