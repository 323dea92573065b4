import DivanBLIP
public import DivanLog
import DivanRevisions
public import DivanStore

/// One side of a replication over one connection, active or passive.
///
/// Owns no thread, socket, timer or clock. Feed and drain in turn: hand in what arrived
/// (`receive`, then `inputDrained` when nothing more is waiting), then take every effect
/// (`next`) and every frame (`nextFrame`) until there are none. Received revisions are stored in
/// one transaction per batch and answered after it has committed. Confined to one thread; the
/// store is called on it and nothing else blocks. A connection needs a new value.
///
/// Source: `replication.md`, `checkpoints.md`, `blobs.md`, `errors.md`.
public struct SyncPeer {
    var session: Session
    var collections: [CollectionSync] = []
    var inbox = Inbox()
    var blobs = BlobFetcher()
    var attachments = AttachmentServer()
    var unresolved: Set<PendingConflict> = []
    /// Conflicts of earlier runs that nobody is asked about yet.
    var knownConflicts: [PendingConflict] = []
    var stage = Stage.notConnected
    private var rotations = RotationWatch()
    private var reported = SyncStatus(.connecting)
    private var statusDue: Duration = .zero
    private var stopDeadline: Duration?  // set while the last checkpoint is being saved

    enum Stage {
        case notConnected
        /// Waiting for the peer's checkpoints.
        case starting
        case running
        case ended
    }

    /// Creates a peer that waits for its connection.
    ///
    /// - Parameters:
    ///   - configuration: The role and the bounds.
    ///   - store: The database; opened, and kept open until `disconnected`.
    ///   - log: Where remarks go.
    public init(
        _ configuration: PeerConfiguration,
        store: Store,
        log: Log = Log(.sync)
    ) {
        session = Session(configuration, store: store, log: log)
    }

    /// Names the changes that this peer makes to the store.
    public var origin: ChangeOrigin { session.origin }

    /// Whether the peer gives up a branch of its own when a revision comes with the tombstone that
    /// closes it: peers of ours do, which say so when they are subscribed to.
    ///
    /// A conflict that the local side wins then needs no new revision (`revisions.md` §8).
    public var peerTakesClosedBranches: Bool { session.peerIsOurs }

    /// Whether a close was asked for; nothing is sent any more.
    public var isEnded: Bool { stage == .ended || session.isClosed }

    /// The status as last reported.
    public var status: SyncStatus { reported }

    /// The connection is open; `subprotocol` is what the handshake agreed on, such as
    /// `BLIP_3+CBMobile_3`.
    public mutating func connected(subprotocol: String, at now: Duration) {
        session.now = now
        guard stage == .notConnected else { return }
        guard let version = Subprotocol(subprotocol),
            let codec = session.configuration.codec(for: version)
        else {
            session.fail(SyncError(.webSocket, 1002, "unknown subprotocol \(subprotocol)"))
            session.close(code: 1002, error: session.error)
            return
        }
        session.use(codec)
        stage = .running
        if case .active(let options) = session.configuration.role {
            stage = .starting
            startActive(options, version)
        }
        pump()
    }

    /// Takes one WebSocket message.
    ///
    /// What it asks for is done in `inputDrained`.
    public mutating func receive(_ message: Span<UInt8>, at now: Duration) {
        session.now = now
        guard !isEnded else { return }
        session.deltaCredit.received(message.count, session.limits)
        do {
            try session.blip.receive(message)
            while let event = session.blip.next() {
                session.noteWords()
                handle(event)
            }
        } catch {
            session.log.error("\(error)")
            session.error = session.error ?? SyncError(.webSocket, 1011, "\(error)")
            session.close(code: error.closeCode, error: session.error)
        }
        if inbox.ready.count >= session.limits.insertedRevisionsCount { commitInbox() }
        session.weigh(parkedByteCount: inbox.parkedByteCount)
    }

    /// Everything that had arrived has been handed in: stores, answers, and goes on.
    public mutating func inputDrained(at now: Duration) {
        session.now = now
        pump()
    }

    /// The store changed; the peer's own changes are recognised by their origin.
    public mutating func storeChanged(_ change: StoreChange, at now: Duration) {
        session.now = now
        guard change.origin != session.origin, stage == .running else { return }
        if change.endsCollection { collectionEnded(change.collection) }
        for index in collections.indices where collections[index].path == change.collection {
            collections[index].notice(isContinuous: isContinuous)
        }
        pump()
    }

    /// A collection is gone: an active peer has failed; a passive one lets its client come again,
    /// which is told then that there is none.
    private mutating func collectionEnded(_ path: CollectionPath) {
        guard collections.contains(where: { $0.path == path && $0.isKnown }) else { return }
        let error = StoreError(.noSuchCollection(path), at: session.store.directory ?? "")
        if isActive {
            session.end(storage: error, code: 1011)
        } else {
            session.close(code: 4001, error: SyncError(storage: error))
        }
    }

    /// A conflict that `next` handed out is resolved and the result stored, or it stays.
    public mutating func conflictResolved(
        _ conflict: PendingConflict,
        error: SyncError? = nil,
        at now: Duration
    ) {
        session.now = now
        guard unresolved.remove(conflict) != nil else { return }
        session.report(DocumentEvent(resolving: conflict, error))
        for index in collections.indices where collections[index].path == conflict.collection {
            collections[index].pusher?.notice()
        }
        if error == nil {
            noteResolution(of: conflict)
            askAgain(conflict)
        }
        pump()
    }

    /// Names a document that does not come to rest, in the log, in an event, and in the status.
    private mutating func noteResolution(of conflict: PendingConflict) {
        guard rotations.note(conflict, at: session.now, limits) else { return }
        let text =
            "the conflict of document \(conflict.documentID) comes again and again: resolved "
            + "\(limits.rotationCount) times within \(limits.rotationWindow); peers that merge must "
            + "make the same of the same two revisions"
        session.log.warning("\(text)")
        session.rotating = conflict
        session.report(DocumentEvent(resolving: conflict, SyncError(.liteCore, 8, text)))
    }

    /// Another conflict of the document may have come while the answer was on its way here.
    private mutating func askAgain(_ conflict: PendingConflict) {
        do {
            let next = try session.store.read { reader in
                try reader.conflict(of: conflict.documentID, in: conflict.collection)
            }
            guard next != nil else { return }
            askForResolution(of: conflict.documentID, in: conflict.collection)
        } catch {
            session.fail(SyncError(storage: error))
        }
    }

    /// Ends the replication; the effect `close` follows, on the active side once the checkpoint is
    /// saved, two seconds later at most.
    public mutating func stop(at now: Duration) {
        session.now = now
        guard !isEnded, stopDeadline == nil else { return }
        if isActive, stage == .running { stopDeadline = now + .seconds(2) }
        if stopDeadline == nil {
            commitInbox()
            session.close(code: isActive ? 1000 : 1001, error: nil)
        }
        pump()
    }

    /// The connection is gone, whoever closed it.
    ///
    /// What was not finished is forgotten. `error` says why, when it was not closed in agreement.
    public mutating func disconnected(error: SyncError? = nil, at now: Duration) {
        session.now = now
        guard stage != .ended else { return }
        commitInbox()
        for index in collections.indices { collections[index].pusher?.reportUnresolved(&session) }
        stage = .ended
        blobs.abandon()
        attachments.abandon()
        _ = inbox.abandonParked()
        _ = session.abandonRequests()
        if session.error == nil { session.error = error }
        session.flushEvents()
        reportStatus()
    }

    /// When `advance(to:)` has something to do; `nil` = nothing but input can change anything.
    public var deadline: Duration? {
        guard stage == .running, !session.isClosed else { return nil }
        guard !attachments.wantsTurn,
            !collections.contains(where: { $0.feed?.wantsTurn == true })
        else { return .zero }
        let saves = collections.compactMap(\.checkpointer?.deadline)
        let progress = hasUnreportedProgress ? [statusDue] : []
        let others = [stopDeadline, session.weighingDue, attachments.deadline(session.limits)]
            .compactMap(\.self)
        return (saves + progress + others).min()
    }

    /// Does what is due at `now`.
    public mutating func advance(to now: Duration) {
        session.now = now
        pump()
        session.weigh(parkedByteCount: inbox.parkedByteCount)
    }

    /// Returns what the driver is to do, or `nil`.
    public mutating func next() -> SyncEffect? { session.nextEffect() }

    /// What the peer holds to.
    public var limits: Limits { session.limits }

    /// Appends the next frame to `output`, one WebSocket message; `false` when there is none now.
    public mutating func nextFrame(into output: inout [UInt8]) -> Bool {
        if session.blip.queuedByteCount < session.limits.queuedOutputByteCount / 2,
            !session.isClosed, stage == .running, stopDeadline == nil
        {
            pumpSenders()
            attachments.begin(&session)
        }
        return session.blip.nextFrame(into: &output)
    }
}

// MARK: - One turn

extension SyncPeer {
    var isActive: Bool {
        if case .active = session.configuration.role { true } else { false }
    }

    var isContinuous: Bool {
        if case .active(let options) = session.configuration.role {
            options.isContinuous
        } else {
            true
        }
    }

    /// Does everything that can be done now.
    mutating func pump() {
        guard stage == .running || stage == .starting else {
            session.flushEvents()  // a conflict may be resolved after the connection has ended
            reportStatus()
            return
        }
        guard stopDeadline == nil else {
            pumpStop()
            return
        }
        if unresolved.count < session.limits.unresolvedConflictsCount {
            for index in collections.indices { collections[index].pumpPuller(&session, &inbox) }
        }
        commitDue()
        pumpSenders()
        blobs.pump(&session)
        attachments.pump(&session)
        // Answers that arrived together may have left marks behind.
        commitDue()
        if stage == .running {
            for index in collections.indices { collections[index].pumpCheckpoint(&session, inbox) }
            endIfDone()
        }
        session.flushEvents()
        reportStatus()
    }

    /// Nothing new begins; what has arrived is stored and the checkpoint saved.
    private mutating func pumpStop() {
        commitInbox()
        for index in collections.indices {
            collections[index].checkpointer?.pump(&session, isForced: true)
        }
        let isLate = stopDeadline.map { session.now >= $0 } ?? false
        if isLate || collections.allSatisfy(\.isSettled) { session.close(code: 1000, error: nil) }
        session.flushEvents()
        reportStatus()
    }

    mutating func pumpSenders() {
        guard !session.isClosed else { return }
        for index in collections.indices { collections[index].pumpSenders(&session, &inbox) }
    }

    /// Whether nothing is known that is left to do.
    var isIdle: Bool {
        inbox.isEmpty && blobs.isIdle && unresolved.isEmpty && collections.allSatisfy(\.isIdle)
    }

    /// A one-shot replication ends when both directions are done and the checkpoints are saved.
    private mutating func endIfDone() {
        guard isActive, !isContinuous, isIdle, !session.isClosed,
            collections.allSatisfy(\.isSettled)
        else { return }
        for index in collections.indices { collections[index].pusher?.reportUnresolved(&session) }
        session.close(code: 1000, error: session.error)
    }

    private var activity: SyncStatus.Activity {
        switch stage {
        case .notConnected: .connecting
        case .ended: .stopped
        case .starting: .busy
        case .running:
            if session.isClosed { .stopped } else { isResting ? .idle : .busy }
        }
    }

    /// A one-shot replication goes from busy to stopped; only the others come to rest.
    private var isResting: Bool { isContinuous && isIdle }

    private var currentStatus: SyncStatus {
        var status = SyncStatus(activity)
        status.completedUnitCount = session.progress.completedUnitCount
        status.totalUnitCount = session.progress.totalUnitCount
        if isIdle { status.completedUnitCount = status.totalUnitCount }
        status.documentCount = session.progress.documentCount
        status.expectedDocumentCount = collections.reduce(session.progress.wantedDocumentCount) {
            $0 + $1.unreadCount
        }
        status.error = session.error
        status.rotating = session.rotating
        return status
    }

    private var hasUnreportedProgress: Bool { currentStatus != reported }

    /// A new activity or error is told at once, mere progress five times a second.
    private mutating func reportStatus() {
        let status = currentStatus
        guard status != reported else { return }
        let isUrgent =
            status.activity != reported.activity || status.error != reported.error
            || status.rotating != reported.rotating
        guard isUrgent || session.now >= statusDue else { return }
        reported = status
        statusDue = session.now + .milliseconds(200)
        session.emit(.status(status))
    }
}
