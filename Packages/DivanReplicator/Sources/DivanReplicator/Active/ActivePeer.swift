import DivanBLIP
import DivanLog
import DivanRevisions
import DivanStore

/// The side of a replication that starts and controls it.
///
/// **What it promises.** Every local change that passes the push filter reaches the other side or is reported as
/// refused; every wanted change there reaches the store or is reported as an error. An interruption loses nothing: only
/// what both sides have stored enters the checkpoint, and the next run starts there.
///
/// **Its states** are those of `PeerLifecycle` (`Docs/states/peer-lifecycle.md`). First the copies of the checkpoints
/// are compared, all collections in one request, or one by one with a peer without collections. Some such peers answer
/// the first question and refuse the next; then everything starts over. After that each collection pushes and pulls
/// independently; a one-shot replication ends when all are idle and their checkpoints are saved.
///
/// **A turn.** `receive` only reads. `pump` answers lists, stores everything that arrived in one transaction, answers
/// it, fills the windows, and saves checkpoints that are due. For collections with indexes it answers first and stores
/// the arrivals of many turns together (`Inbox.gather`), on another thread if there is one (`PulledBatch`):
///
/// ```
/// message ─→ handle ─→ ActiveCollection ─→ Inbox, PeerReports ─→ commit ─→ answers
///                        Puller, Pusher ─→ Connection ─→ frames
/// ```
///
/// **What may be reordered.** The other side's answers overtake its revisions, and lists overtake both: each is judged
/// by the sequence that comes with it (`RemoteOrder`, `Withdrawals`). Revisions of different documents may arrive in
/// any order; per document at most one is in transit in each direction. A revision that waits for blobs is overtaken by
/// those that do not.
///
/// **What bounds it.** Lists, revisions, bytes, blobs and conflicts in progress each have a maximum in
/// `ReplicatorLimits`; above it the next list is answered or sent later, so the peer waits. A turn ends when the
/// windows are full. Work per received byte is linear.
///
/// **What a crash leaves.** Complete transactions, the last checkpoint that both sides have, and blob files that no
/// document refers to, which are garbage. Changes that were stored after the checkpoint are announced again.
///
/// Source: `replication.md`, `checkpoints.md`.
final class ActivePeer: ConnectedPeer {
    let connection: Connection
    let inbox: Inbox
    var attachments: AttachmentServer
    private let options: PeerConfiguration.ActiveOptions
    private let remarks = PeerReports()
    private let conflicts: OpenConflicts
    private let agreement: CollectionNegotiation
    /// The batch that another thread is storing; meanwhile nothing else is stored, proposed or saved.
    private var storing: PulledBatch?
    private var watchdog = Watchdog()
    /// Which collection goes first in using what all of them share.
    private var rotation = RoundRobin()

    init(_ options: PeerConfiguration.ActiveOptions, over connection: Connection) {
        self.options = options
        self.connection = connection
        inbox = Inbox(connection)
        conflicts = OpenConflicts(connection)
        attachments = AttachmentServer(connection)
        agreement = CollectionNegotiation(options, over: connection) {
            [inbox, remarks, conflicts] number in
            try ActiveCollection(number, of: options, inbox, remarks, conflicts, over: connection)
        } begun: { [inbox] in
            inbox.gathers = options.pulls && Self.hasIndexes(options, in: connection.store)
            let numbers = Dictionary(
                zip(options.collections.map(\.path), options.collections.indices),
                uniquingKeysWith: { first, _ in first }
            )
            inbox.want(
                options.wantedBlobs.compactMap { blob in
                    numbers[blob.collection].map { (collection: $0, blob: blob) }
                }
            )
        }
    }

    private static func hasIndexes(
        _ options: PeerConfiguration.ActiveOptions,
        in store: Store
    ) -> Bool {
        let hasIndexes = try? store.read { reader in
            try options.collections.contains { try reader.hasIndexes(in: $0.path) }
        }
        return hasIndexes ?? false
    }

    private var collections: [ActiveCollection] { agreement.collections }

    var peerTakesClosedBranches: Bool { connection.peerIsOurs }

    func connected(subprotocol: String, at now: Duration) {
        connection.now = now
        guard let version = connection.open(subprotocol) else { return }
        connection.handle(.connectedAsActive)
        agreement.begin(version)
        pump()
    }

    func storeChanged(_ change: StoreChange, at now: Duration) {
        connection.now = now
        guard change.origin != origin, connection.life.replicates else { return }
        let affected = collections.filter { $0.path == change.collection }
        if change.endsCollection, !affected.isEmpty {
            connection.end(storage: connection.absence(of: change.collection), .cannotFulfil)
        }
        if options.isContinuous { for collection in affected { collection.notice() } }
        pump()
    }

    func conflictResolved(_ conflict: PendingConflict, error: SyncError?, at now: Duration) {
        connection.now = now
        guard conflicts.settled(conflict, error) else { return }
        for collection in collections where collection.path == conflict.collection {
            collection.notice()
        }
        pump()
    }

    func stop(at now: Duration) {
        connection.now = now
        guard !isEnded, connection.life.stopDeadline == nil else { return }
        if !connection.handle(.stopRequested(deadline: now + .seconds(2))) {
            commit()
            connection.close(.normal)
        }
        pump()
    }

    var hasSavedProgress: Bool {
        !collections.isEmpty && collections.allSatisfy(\.checkpointer.isKept)
    }

    var deadline: Duration? {
        guard connection.life.replicates else { return isEnded ? nil : watchdog.deadline }
        // A stopping peer computes no more proofs.
        let stop = connection.life.stopDeadline
        let hasChanges = storing == nil && collections.contains(where: \.wantsTurn)
        let wantsTurn = attachments.wantsTurn || hasChanges
        guard stop != nil || !wantsTurn else { return .zero }
        var deadlines = [
            stop, watchdog.deadline, connection.statusDeadline(currentStatus),
            stop == nil ? attachments.deadline : nil,
        ]
        if stop == nil {
            deadlines += collections.map(\.pullDeadline)
            deadlines.append(inbox.blobDeadline)
        }
        if storing == nil {
            deadlines.append(inbox.gatheringDeadline)
            if let next = agreement.nextOffer, isRested { deadlines.append(next) }
            deadlines += collections.map(\.checkpointer.deadline)
        }
        return deadlines.compactMap(\.self).min()
    }

    func waits(at now: Duration) -> [SyncWait] {
        connection.now = now
        let collections = collections
        let waits = connection.waits {
            collections.indices.contains($0) ? collections[$0].path : nil
        }
        let rest = collections.map(\.wait) + [conflicts.wait]
        return (waits + rest.compactMap(\.self)).sorted { $0.duration > $1.duration }
    }
}

// MARK: - One turn

extension ActivePeer {
    func pump() {
        switch connection.life {
        // A conflict may be resolved after the connection has ended.
        case .connecting, .ended: break
        case .starting, .running: replicate()
        case .stopping(let deadline): windDown(until: deadline)
        case .closing: commit()
        }
        watch()
        connection.reportStatus(currentStatus)
    }

    private func replicate() {
        rotation.advance()
        answerLists()
        commitDue()
        fillWindows()
        pumpBlobs()
        attachments.pump()
        // Answers that arrived together may have left marks.
        commitDue()
        // Storing made room, and perhaps nothing else will arrive.
        answerLists()
        guard connection.life == .running, storing == nil else { return }
        for collection in collections { collection.pumpCheckpoint() }
        closeForRetry()
        endIfDone()
    }

    /// Reports what has been waited for too long, in the log and in the status.
    private func watch() {
        guard !isEnded else { return }
        let since = [connection.oldestQuestion(), conflicts.oldest]
        let oldest = (since + collections.map(\.oldestWait)).compactMap(\.self).min()
        let stall = watchdog.look(oldest, at: connection.now, patience: limits.patience) {
            waits(at: connection.now)
        }
        if let stall { connection.log.warning("Replicator is waiting for: \(stall)") }
        guard inbox.waitsForNoBlob, inbox.ready.isEmpty, storing == nil else { return }
        connection.closeIfRevisionsMissing(since: collections.compactMap(\.oldestWait).max())
    }

    /// Starts nothing new; stores what has arrived and saves the checkpoint.
    private func windDown(until deadline: Duration) {
        commit()
        for collection in collections { collection.checkpointer.pump(isForced: true) }
        if connection.now >= deadline || isSettled { connection.close(.normal) }
    }

    /// A one-shot replication ends when both directions are done and the checkpoints are saved.
    private func endIfDone() {
        guard !options.isContinuous, isRested, !isEnded else { return }
        giveUp()
        connection.close(.normal)
    }

    /// A turn's transaction failed.
    ///
    /// The peer does not send its part again by itself: another connection requests it again, and the disk may have
    /// recovered by then. If it cannot, the checkpoint must at least not pass what the peer reported.
    private func closeForRetry(after failure: SyncError, hasHeard: Bool) {
        guard failure.isLocalFailure else {
            if hasHeard { connection.close(.cannotFulfil, error: failure) }
            return
        }
        connection.closeForRetry(after: failure)
    }

    /// Leaves what found no room here, and in time what the peer could not accept, to a new connection.
    private func closeForRetry() {
        let reason = inbox.turnedAway ?? agreement.dueOffer
        guard let reason, isRested, !isEnded else { return }
        connection.note(reason)
        connection.close(.retryLater, error: reason)
    }

    func fillWindows() {
        // Readers of the changes do not yet see what is being stored.
        guard storing == nil else { return }
        rotation.forEach(of: collections) { $0.pumpPusher() }
    }

    private func answerLists() {
        if conflicts.hasRoom { rotation.forEach(of: collections) { $0.pumpPuller() } }
    }

    func giveUp() {
        for collection in collections { collection.reportUnresolved() }
    }

    /// Whether no work is known to be left.
    private var isIdle: Bool {
        inbox.ready.isEmpty && storing == nil && remarks.isEmpty && inbox.waitsForNoBlob
            && conflicts.isEmpty && collections.allSatisfy(\.isIdle)
    }

    private var isSettled: Bool { collections.allSatisfy(\.checkpointer.isSettled) }
    private var isRested: Bool { isIdle && isSettled }

    var currentStatus: SyncStatus {
        let isIdle = isIdle
        // A one-shot replication goes from busy to stopped; only continuous ones become idle.
        var status = connection.status(isIdle: isIdle, isResting: isIdle && options.isContinuous)
        status.expectedDocumentCount += collections.reduce(0) { $0 + $1.unreadCount }
        status.rotating = conflicts.rotating
        status.stall = watchdog.stall
        return status
    }

    /// Stores what has arrived, unless it waits for more: marks alone during the push of a backlog, gathered revisions
    /// while more arrive, and everything while another thread stores.
    private func commitDue() {
        if storing?.work.isDone == true { concludeStoring() }
        guard storing == nil else { return inbox.gather() }
        guard inbox.ready.isEmpty || inbox.gathers else { return commit() }
        let waits =
            remarks.removals.isEmpty && remarks.count < limits.heldMarksCount
            // Everything that a checkpoint relies on is committed with it.
            && !collections.contains { $0.checkpointer.isDue }
            && (inbox.ready.isEmpty
                ? collections.contains { $0.feedPhase == .backlog }
                : expectsMore && !hasUnreadChanges)
        guard waits else { return commit() }
        if inbox.isDue { commitFull() } else { inbox.gather() }
    }

    /// Whether revisions are in transit to this side, or the peer may have more to announce.
    private var expectsMore: Bool {
        connection.underway.requestedCount > inbox.ready.count
            || collections.contains(where: \.isCatchingUp)
    }

    /// Whether there are changes to propose next, which depends on what the peer has sent.
    private var hasUnreadChanges: Bool {
        collections.contains { $0.feedPhase ?? .caughtUp != .caughtUp }
    }

    func commit() {
        concludeStoring()
        if let batch = nextBatch() { conclude(batch) }
    }

    /// Has the gathered revisions stored by another thread, where allowed.
    ///
    /// Not if local changes are about to be proposed, because that depends on what the peer has sent; nor with
    /// documents to be purged, which the peer may announce again before that.
    func commitFull() {
        let mayWait = inbox.gathers && !hasUnreadChanges && remarks.removals.isEmpty
        guard connection.configuration.storesBeside, connection.life == .running, mayWait
        else { return commit() }
        inbox.gather()
        concludeStoring()
        guard let batch = nextBatch() else { return }
        storing = batch
        connection.underway.storingCount = batch.revisions.count
        connection.emit(.store(batch.work))
    }

    private func nextBatch() -> PulledBatch? {
        guard !inbox.ready.isEmpty || !remarks.isEmpty else { return nil }
        return PulledBatch(of: collections, inbox, remarks, over: connection)
    }

    /// Waits for the transaction on the other thread, and reports its result.
    private func concludeStoring() {
        guard let batch = storing.take() else { return }
        connection.underway.storingCount = 0
        conclude(batch)
    }

    private func conclude(_ batch: PulledBatch) {
        let collections = collections
        let failure = finish(batch.revisions) { try batch.work.result.get() }
        // Revisions that arrived before a loss are reported before it.
        for (loss, verdict) in batch.losses {
            collections[loss.collection].finish(loss, verdict, failure)
        }
        if let failure { return closeForRetry(after: failure, hasHeard: batch.hasHeard) }
        for mark in batch.marks {
            collections[mark.collection].pulled(mark.revision.documentID, isBehind: mark.isBehind)
        }
        // A revision that arrived after the peer reported another one is no echo: the feed must examine it.
        for revision in batch.revisions where revision.isOutdated {
            collections[revision.collection].pulled(revision.message.documentID, isBehind: true)
        }
    }

    func finish(_ revision: IncomingRevision, _ result: RevisionResult) {
        collections[revision.collection].finish(revision, result)
    }
}

// MARK: - Requests and answers

extension ActivePeer {
    func receive(_ request: BLIPIncomingRequest) throws(SyncError) {
        switch request.profile {
        case "rev": try collection(of: request).receiveRevision(request)
        case "changes": try collection(of: request).receiveChanges(request)
        case "norev": try collection(of: request).receiveMissingRevision(request)
        default: connection.answer(request, with: .noHandler)
        }
    }

    private func collection(of request: BLIPIncomingRequest) throws(SyncError) -> ActiveCollection {
        collections[try connection.collectionNumber(of: request, below: collections.count)]
    }

    func checkCollection(of request: BLIPIncomingRequest) throws(SyncError) {
        _ = try collection(of: request)
    }

    func startsOver(after reply: BLIPIncomingReply, to purpose: Purpose) -> Bool {
        guard agreement.startsOver(after: reply, to: purpose) else { return false }
        // Requests so far can no longer be answered, and are repeated with the collections.
        inbox.abandon()
        return true
    }

    func receive(_ reply: BLIPIncomingReply, for purpose: Purpose) throws {
        switch purpose {
        case .collections: agreement.received(collections: reply)
        case .checkpoint(let number, isForSave: true):
            collections[number].checkpointer.received(revisionReply: reply)
        case .checkpoint(_, isForSave: false): agreement.received(checkpoint: reply)
        case .saveCheckpoint(let number):
            collections[number].checkpointer.received(saveReply: reply)
        case .subscription(let number): collections[number].subscribed(reply)
        case .proposals(let number, let proposals):
            try collections[number].answered(proposals, reply)
        case .revision(let number, let revision):
            try collections[number].answered(revision, reply)
        case .announcement, .blob: break  // a passive peer's, and either's
        }
    }
}
