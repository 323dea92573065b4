import DivanBLIP
import DivanLog
import DivanRevisions
import DivanStore

/// The side of a replication that starts and drives it.
///
/// **What it promises.** Every local change that passes the push filter reaches the other side or is
/// told as refused; every change there that is wanted reaches the store or is told as an error. Nothing is lost by
/// an interruption: only what is stored at both sides enters the checkpoint, and the next run begins there.
///
/// **Its states** are those of `PeerLife` (`Docs/states/peer-life.md`). First the copies of the
/// checkpoints are compared, all collections in one request, or one by one with a peer that knows no
/// collections: one such peer answers the first question and refuses the next, and all begins anew.
/// Then each collection pushes and pulls by itself; a one-shot replication ends when all are idle and
/// their checkpoints are saved.
///
/// **A turn.** `receive` only reads. `pump` answers lists, stores everything that arrived in one
/// transaction, answers it, fills the windows, and saves checkpoints that are due. Into collections with indexes
/// it answers first and stores the arrivals of many turns together (`Inbox.gather`), on another thread if there is
/// one (`PulledBatch`):
///
/// ```
/// message ─→ handle ─→ ActiveCollection ─→ Inbox, Remarks ─→ commit ─→ answers
///                        Puller, Pusher ─→ Connection ─→ frames
/// ```
///
/// **What may be reordered.** Answers of the other side overtake its revisions, and lists overtake
/// both: each is judged by the sequence that comes with it (`RemoteOrder`, `Withdrawals`).
/// Revisions of different documents may arrive in any order; of one document at most one is under
/// way in each direction. A revision that waits for blobs is overtaken by those that do not.
///
/// **What bounds it.** Lists, revisions, bytes, blobs and conflicts that are under way each have a
/// maximum in `ReplicatorLimits`; above it the next list is answered or made later, so the peer waits. A turn
/// ends when the windows are full. Work per received byte is linear.
///
/// **What a crash leaves.** Whole transactions, the last checkpoint that both sides have, and files of blobs that no
/// document names, which are garbage. Changes that were stored after the checkpoint are announced again.
///
/// Source: `replication.md`, `checkpoints.md`.
final class ActivePeer: ConnectedPeer {
    let connection: Connection
    let inbox: Inbox
    var attachments: AttachmentServer
    private let options: PeerConfiguration.ActiveOptions
    private let remarks = Remarks()
    private let conflicts: OpenConflicts
    private let agreement: CollectionAgreement
    /// What another thread stores; nothing is stored, proposed or saved beside it.
    private var storing: PulledBatch?
    private var watchdog = Watchdog()
    /// Which collection is the first to take of what all have together.
    private var rotation = Rotation()

    init(_ options: PeerConfiguration.ActiveOptions, over connection: Connection) {
        self.options = options
        self.connection = connection
        inbox = Inbox(connection)
        conflicts = OpenConflicts(connection)
        attachments = AttachmentServer(connection)
        agreement = CollectionAgreement(options, over: connection) {
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
            try options.collections.contains { try !reader.indexes(in: $0.path).isEmpty }
        }
        return hasIndexes ?? false
    }

    private var collections: [ActiveCollection] { agreement.collections }

    var peerTakesClosedBranches: Bool { connection.peerIsOurs }

    func connected(subprotocol: String, at now: Duration) {
        connection.now = now
        guard let version = connection.open(subprotocol) else { return }
        connection.take(.connectedAsActive)
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
        if !connection.take(.stopRequested(deadline: now + .seconds(2))) {
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
        // Whoever stops hashes no more.
        let stop = connection.life.stopDeadline
        let hasChanges = storing == nil && collections.contains(where: \.wantsTurn)
        let wantsTurn = attachments.wantsTurn || hasChanges
        guard stop != nil || !wantsTurn else { return .zero }
        var deadlines = [
            stop, watchdog.deadline, connection.statusDeadline(currentStatus),
            stop == nil ? attachments.deadline : nil,
        ]
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
        connection.tell(currentStatus)
    }

    private func replicate() {
        rotation.advance()
        answerLists()
        commitDue()
        fillWindows()
        inbox.pump()
        attachments.pump()
        // Answers that arrived together may have left marks behind.
        commitDue()
        // What was stored made room, and perhaps nothing else is to come.
        answerLists()
        guard connection.life == .running, storing == nil else { return }
        for collection in collections { collection.pumpCheckpoint() }
        comeAgain()
        endIfDone()
    }

    /// Names what is waited for too long, in the log and in the status.
    private func watch() {
        guard !isEnded else { return }
        let since = [connection.oldestQuestion(), conflicts.oldest]
        let oldest = (since + collections.map(\.oldestWait)).compactMap(\.self).min()
        let stall = watchdog.look(oldest, at: connection.now, patience: limits.patience) {
            waits(at: connection.now)
        }
        if let stall { connection.log.warning("Replicator waits for: \(stall)") }
        guard inbox.waitsForNoBlob, inbox.ready.isEmpty, storing == nil else { return }
        connection.comeAgainIfForgotten(since: collections.compactMap(\.oldestWait).max())
    }

    /// Nothing new begins; what has arrived is stored and the checkpoint saved.
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

    /// Nothing of a turn could be stored.
    ///
    /// What the peer sent does not come again by itself: another connection asks anew, and the disk may have
    /// recovered by then. Where it cannot, the checkpoint must at least not pass what the peer said.
    private func comeAgain(after failure: SyncError, hasHeard: Bool) {
        guard failure.isLocalFailure else {
            if hasHeard { connection.close(.cannotFulfil, error: failure) }
            return
        }
        connection.comeAgain(after: failure)
    }

    /// What found no room here, and in time what the peer could not take, is left to a new connection.
    private func comeAgain() {
        let reason = inbox.turnedAway ?? agreement.dueOffer
        guard let reason, isRested, !isEnded else { return }
        connection.note(reason)
        connection.close(.retryLater, error: reason)
    }

    func fillWindows() {
        // What is stored just now is not seen yet by whoever reads the changes.
        guard storing == nil else { return }
        rotation.forEach(of: collections) { $0.pumpPusher() }
    }

    private func answerLists() {
        if conflicts.hasRoom { rotation.forEach(of: collections) { $0.pumpPuller() } }
    }

    func giveUp() {
        for collection in collections { collection.reportUnresolved() }
    }

    /// Whether nothing is known that is left to do.
    private var isIdle: Bool {
        inbox.ready.isEmpty && storing == nil && remarks.isEmpty && inbox.waitsForNoBlob
            && conflicts.isEmpty && collections.allSatisfy(\.isIdle)
    }

    private var isSettled: Bool { collections.allSatisfy(\.checkpointer.isSettled) }
    private var isRested: Bool { isIdle && isSettled }

    var currentStatus: SyncStatus {
        let isIdle = isIdle
        // A one-shot replication goes from busy to stopped; only the others come to rest.
        var status = connection.status(isIdle: isIdle, isResting: isIdle && options.isContinuous)
        status.expectedDocumentCount += collections.reduce(0) { $0 + $1.unreadCount }
        status.rotating = conflicts.rotating
        status.stall = watchdog.stall
        return status
    }

    /// Stores what has arrived, unless it waits for more: marks alone while a backlog is pushed, revisions
    /// that are gathered while others come, and everything while another thread stores.
    private func commitDue() {
        if storing?.work.isDone == true { concludeStoring() }
        guard storing == nil else { return inbox.gather() }
        guard inbox.ready.isEmpty || inbox.gathers else { return commit() }
        let waits =
            remarks.removals.isEmpty && remarks.count < limits.heldMarksCount
            // With a checkpoint everything goes that it counts on.
            && !collections.contains { $0.checkpointer.isDue }
            && (inbox.ready.isEmpty
                ? collections.contains { $0.feedPhase == .backlog }
                : expectsMore && !hasUnreadChanges)
        guard waits else { return commit() }
        if inbox.isDue { commitFull() } else { inbox.gather() }
    }

    /// Whether revisions are on their way here, or the peer may have more to announce.
    private var expectsMore: Bool {
        connection.underway.requestedCount > inbox.ready.count
            || collections.contains(where: \.isCatchingUp)
    }

    /// Whether the next changes are to be proposed, for which what the peer has sent counts.
    private var hasUnreadChanges: Bool {
        collections.contains { $0.feedPhase ?? .caughtUp != .caughtUp }
    }

    func commit() {
        concludeStoring()
        if let batch = nextBatch() { conclude(batch) }
    }

    /// Has what is gathered stored by another thread, where it may be.
    ///
    /// Not where changes of our own are to be proposed, for which what the peer has sent counts.
    func commitFull() {
        let mayWait = inbox.gathers && connection.life == .running && !hasUnreadChanges
        guard connection.configuration.storesBeside, mayWait else { return commit() }
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

    /// Tells what came of the transaction that another thread is at, which is waited for.
    private func concludeStoring() {
        guard let batch = storing.take() else { return }
        connection.underway.storingCount = 0
        conclude(batch)
    }

    private func conclude(_ batch: PulledBatch) {
        let collections = collections
        let failure = finish(batch.revisions) { try batch.work.result.get() }
        // What came before is told before.
        for (loss, verdict) in batch.losses {
            collections[loss.collection].finish(loss, verdict, failure)
        }
        if let failure { return comeAgain(after: failure, hasHeard: batch.hasHeard) }
        for mark in batch.marks {
            collections[mark.collection].pulled(mark.revision.documentID, isBehind: mark.isBehind)
        }
        // What came after the peer had told of another is no echo: the feed has to look at it.
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
        // What was asked for is answered to nobody any more, and is wanted anew with the collections.
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
