import DivanBLIP
import DivanRevisions
import DivanStore

/// One collection of an active peer: what goes to the other side, what comes from it, and how far
/// both are.
final class ActiveCollection {
    let path: CollectionPath
    let checkpointer: Checkpointer
    private var puller: Puller?
    private var pusher: Pusher?
    /// Whether there is a pusher to ask: nothing is looked up where there is none.
    private let pushes: Bool

    private let number: Int
    private let options: PeerConfiguration.CollectionOptions
    private let admission: Admission
    private let connection: Connection
    private let inbox: Inbox
    private let remarks: Remarks
    private let conflicts: OpenConflicts
    private var remoteOrder = RemoteOrder()
    private var withdrawals = Withdrawals()

    /// Reads the checkpoint, from which a reset does not continue.
    init(
        _ number: Int,
        of peer: PeerConfiguration.ActiveOptions,
        _ inbox: Inbox,
        _ remarks: Remarks,
        _ conflicts: OpenConflicts,
        over connection: Connection
    ) throws {
        options = peer.collections[number]
        path = options.path
        pushes = peer.pushes
        self.number = number
        self.inbox = inbox
        self.remarks = remarks
        self.conflicts = conflicts
        self.connection = connection
        admission = Admission(
            collection: number,
            path: path,
            filter: options.pullFilter,
            opening: peer.fields.opening
        )
        checkpointer = try Checkpointer(
            names: CheckpointNames(of: options, peer, in: connection.store),
            collection: number,
            path: path,
            isReset: peer.isReset,
            over: connection
        )
    }

    /// Both copies of the checkpoint are known: push and pull begin.
    func start(_ peer: PeerConfiguration.ActiveOptions) throws {
        if peer.pushes { try reviewRefusals(retries: peer.retriesRefused) }
        let (last, conflicted) = try connection.store.read { reader in
            (
                try reader.lastSequence(in: path),
                try reader.conflicts(in: path, after: 0, limit: 1)
            )
        }
        if checkpointer.completed.firstRangeEnd > last { checkpointer.startOver() }
        if peer.pulls {
            let puller = Puller(
                collection: number,
                options: options,
                purgesRevoked: peer.purgesRevoked,
                checkpointer: checkpointer,
                remarks: remarks,
                over: connection
            )
            puller.subscribe(
                isContinuous: peer.isContinuous,
                // One that went back to an empty copy may get documents of before from others.
                skipsTombstones: !checkpointer.hadLocalCopy && !checkpointer.hasPeerCopy
                    && last == 0
            )
            self.puller = puller
            if !conflicted.isEmpty { conflicts.addEarlier(in: path) }
        }
        if peer.pushes {
            pusher = Pusher(
                collection: number,
                options: options,
                pulls: peer.pulls,
                sealing: peer.fields.sealing,
                after: checkpointer,
                through: last,
                remarks: remarks,
                over: connection
            )
        } else if path == .default {
            // A push shares this checkpoint, and finds both copies alike when it comes.
            checkpointer.beginPush(through: last)
        }
    }

    /// Forgets refusals that were overtaken; the others are open again where they are to be retried.
    ///
    /// They stay remembered until the peer has answered: a run that ends before loses nothing.
    private func reviewRefusals(retries: Bool) throws {
        guard let remote = connection.remote,
            try connection.store.read({ try $0.hasRefusals(in: path, at: remote) })
        else { return }
        let refusals = try connection.store.write(origin: connection.origin) { writer in
            try writer.pruneRefusals(in: path, at: remote)
        }
        guard retries else { return }
        for refusal in refusals { checkpointer.completed.remove(refusal.sequence) }
    }

    var isIdle: Bool { (puller?.isIdle ?? true) && (pusher?.isIdle ?? true) }

    /// Changes of either side that nobody has looked at yet, at most.
    var unreadCount: UInt64 { (puller?.unreadCount ?? 0) + (pusher?.unreadCount ?? 0) }

    /// Whether it has more changes to read, but others shall have their turn first.
    var wantsTurn: Bool { pusher?.wantsTurn ?? false }

    /// How far its changes have been read; `nil` when it pushes nothing.
    var feedPhase: FeedPhase? { pusher?.feedPhase }

    /// Whether the peer may announce more, or has announced what is not asked for yet.
    var isCatchingUp: Bool { puller?.isCatchingUp ?? false }

    /// Since when there is a change that the peer may take later, over another connection.
    var failedSince: Duration? { pusher?.failedSince }

    /// Since when no revision came that was asked for.
    var oldestWait: Duration? { puller?.oldest }

    /// What was asked for and has not come.
    var wait: SyncWait? { puller?.wait }

    /// There may be something to push.
    func notice() { pusher?.notice() }

    /// Answers lists of the peer.
    func pumpPuller() { puller?.pump() }

    /// Proposes and sends as far as the windows allow.
    func pumpPusher() {
        guard pushes else { return }
        do {
            try pusher?.pump()
        } catch {
            connection.end(storage: error, .cannotFulfil)
        }
    }

    /// Saves the checkpoint when it is due, at once when the collection has come to rest.
    func pumpCheckpoint() {
        let isForced = isIdle && inbox.ready.isEmpty && remarks.isEmpty
        if isForced {
            remoteOrder.clear()
            withdrawals.clear()
        }
        checkpointer.pump(isForced: isForced)
    }

    /// Conflicts that the pull did not clear are the documents' errors.
    func reportUnresolved() { pusher?.reportUnresolved() }
}

// MARK: - Requests and answers

extension ActiveCollection {
    /// Takes a list of changes.
    func receiveChanges(_ request: BLIPIncomingRequest) throws(SyncError) {
        guard puller != nil else { throw .pushesOnly }
        puller?.receive(request)
    }

    /// Takes a `rev` message.
    func receiveRevision(_ request: BLIPIncomingRequest) throws(SyncError) {
        guard puller != nil else { throw .pushesOnly }
        let fields = RevisionFields(request.properties, in: connection.dialect)
        guard !fields.hasError else {
            receiveMissingRevision(request)
            return
        }
        do throws(SyncError) {
            let message = try RevisionMessage(
                fields,
                in: connection.dialect,
                limits: connection.limits
            )
            guard message.sequence != nil else {
                throw .http(.badRequest, "received revision without sequence")
            }
            let body = try inbox.body(of: message, request, in: admission)
            if body.isRemoved, remoteOrder.hasPassed(message.documentID, message.sequence) {
                // The user lost that revision, and was sent a later one.
                take(.gone, of: Arrival(request))
            } else if body.isRemoved, let puller {
                remarks.add(puller.removal(by: message, request))
            } else {
                try inbox.take(message, body, request, in: admission)
            }
        } catch {
            take(.init(refusing: error), of: Arrival(request))
        }
    }

    /// The peer cannot send what was asked for: the sequence is done.
    ///
    /// A document that is gone or has gone on is no failure; any other reason is the document's.
    func receiveMissingRevision(_ request: BLIPIncomingRequest) {
        let code = request.properties.integer("error") ?? HTTPStatus.notFound.rawValue
        let status = (400...999).contains(code) ? HTTPStatus(rawValue: code) : .badGateway
        let reason = request.properties["reason"] ?? "the peer cannot send the document"
        let error = SyncError(.http(status), reason, isFromPeer: true)
        var arrival = Arrival(request)
        let old = request.properties["seq"].map { RemoteSequence(json: $0) }
        arrival.sequence = (arrival.sequence ?? old).map { puller?.requested.announced($0) ?? $0 }
        let isGone = status == .notFound || status == .gone
        take(isGone ? .gone : .unavailable(error), of: arrival)
    }

    func subscribed(_ reply: BLIPIncomingReply) {
        puller?.subscribed(reply)
        conflicts.askAboutEarlier()
    }

    func answered(_ proposals: [Proposal], _ reply: BLIPIncomingReply) throws {
        try pusher?.answered(proposals, reply)
    }

    func answered(_ revision: OutgoingRevision, _ reply: BLIPIncomingReply) throws {
        try pusher?.answered(revision, reply)
    }
}

// MARK: - Around the transaction

extension ActiveCollection {
    /// What becomes of a lost document; of one that is purged nothing is stored that was sent before.
    ///
    /// The pull filter is asked; a veto keeps the document and is an error of its own.
    func verdict(on removal: Remarks.Removal) -> Remarks.Verdict {
        guard removal.purges else { return .keeps }
        guard options.pullFilter?(removal.question) ?? true else { return .vetoed }
        withdrawals.note(removal, awaited: awaited)
        return .purges
    }

    /// A lost document is purged, or stays; one that could not be purged the peer is to tell of again.
    ///
    /// Called behind the transaction, which may have failed, and behind what is told of its revisions.
    func finish(
        _ removal: Remarks.Removal,
        _ verdict: Remarks.Verdict,
        _ failure: SyncError?
    ) {
        let failure = verdict == .purges ? failure : nil
        let error = verdict == .vetoed ? .rejected : failure
        connection.report(removal.event(in: path, error))
        finish(removal.sequence, isFinished: failure == nil, byteCount: 0)
        if let error {
            connection.refuse(removal.request, with: error)
        } else {
            connection.answer(removal.request)
        }
    }

    var hasWithdrawals: Bool { !withdrawals.isEmpty }

    /// Drops a revision that was sent before its document was withdrawn; the loss has been told.
    func dropsWithdrawn(_ revision: IncomingRevision) -> Bool {
        let message = revision.message
        guard withdrawals.covers(message.documentID, message.sequence) else { return false }
        take(.withdrawn, of: Arrival(revision))
        return true
    }

    /// The documents of which a revision is still to be stored.
    private var awaited: Set<DocumentID> { puller?.awaited ?? [] }

    /// Returns what the peer told of a document, and notes it as the newest; `nil` when the peer has told
    /// something newer already.
    func upToDate(_ mark: Remarks.Mark) -> Remarks.Mark? {
        guard puller != nil else { return mark }
        return remoteOrder.upToDate(mark, awaited: awaited)
    }

    /// Whether the peer has told something newer of a document than this revision, which it sent; notes it
    /// as the newest where it has not.
    ///
    /// A first revision counts, too: its document may have been made anew.
    func isOutdated(_ message: RevisionMessage) -> Bool {
        guard puller != nil, let announced = message.sequence?.number else { return false }
        let sequence = max(announced, message.replacingSequence ?? 0)
        let isFollowing = !message.ancestry.ids.isEmpty || connection.dialect.mayFollowUnnamed
        return remoteOrder.noteArrival(
            of: message.documentID,
            message.revisionID,
            sequence,
            isFirst: !isFollowing
                && !(pushes && pusher?.isUnderway(message.documentID) ?? false),
            awaited: awaited
        )
    }

    /// Answers a revision and counts it.
    func finish(_ revision: IncomingRevision, _ result: RevisionResult) {
        let reply: BLIPReply =
            if case .inserted(_, _, let isBranched) = result {
                .stored(isBranched: isBranched)
            } else {
                .noop
            }
        take(.init(result), of: Arrival(revision), answeredBy: reply)
        // Ours may be the same merge under another name, which the peer is not known to have any more.
        if case .alreadyThere = result, connection.dialect.mayCross { pusher?.notice() }
    }

    /// Moves a revision on, and does what follows.
    private func take(
        _ event: PulledRevision.Event,
        of arrival: Arrival,
        answeredBy reply: BLIPReply = .empty
    ) {
        var life = arrival.life
        let effects = life.take(event)
        if effects.contains(.answer) { connection.answer(arrival.request, with: reply) }
        if effects.contains(.refuse), let error = event.error {
            connection.refuse(arrival.request, with: error)
        }
        if effects.contains(.report) {
            connection.report(arrival.event(in: path, event.error))
        }
        if effects.contains(.resolve) { conflicts.ask(about: arrival.documentID, in: path) }
        if pushes, effects.contains(.trust) { pusher?.trust(arrival.documentID) }
        if effects.contains(.retryPush) { pulled(arrival.documentID) }
        if effects.contains(.readFeed) { pusher?.notice() }
        guard life.isOver else { return }
        finish(
            arrival.sequence,
            isFinished: effects.contains(.pass),
            byteCount: arrival.byteCount
        )
    }

    /// The pull brought, or recognised, the peer's revision of a document.
    func pulled(_ documentID: DocumentID, isBehind: Bool = false) {
        guard pushes else { return }
        do {
            try pusher?.pulled(documentID, isBehind: isBehind)
        } catch {
            connection.end(storage: error, .cannotFulfil)
        }
    }

    /// A revision that was asked for arrived, or never will.
    private func finish(_ sequence: RemoteSequence?, isFinished: Bool, byteCount: Int) {
        guard let sequence else { return }
        puller?.finish(sequence, isFinished: isFinished, byteCount: byteCount)
    }
}

/// A message about a revision that was asked for, as far as what follows depends on it.
private struct Arrival {
    let request: BLIPRequestID?
    let documentID: DocumentID
    var sequence: RemoteSequence?
    let byteCount: Int
    let flags: SyncFlags
    var life = PulledRevision.requested
    var delta: DeltaUse?

    /// One that is not taken in.
    init(_ message: BLIPIncomingRequest) {
        let properties = message.properties
        request = message.isNoReply ? nil : message.id
        documentID = DocumentID(unchecked: properties["id"] ?? "")
        sequence = properties["sequence"].map { RemoteSequence(json: $0) }
        byteCount = message.body.count
        flags = properties.bool("deleted") ? .deleted : []
    }

    init(_ revision: IncomingRevision) {
        request = revision.request
        documentID = revision.message.documentID
        sequence = revision.message.sequence
        byteCount = revision.body.count
        flags = revision.flags
        life = revision.life
        delta = revision.delta
    }

    func event(in path: CollectionPath, _ error: SyncError?) -> DocumentEvent {
        let delta = error == nil ? delta : nil
        return DocumentEvent(pulling: documentID, in: path, flags: flags, delta: delta, error)
    }
}
