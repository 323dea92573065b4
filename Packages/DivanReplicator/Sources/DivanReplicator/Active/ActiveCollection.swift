import DivanBLIP
import DivanRevisions
import DivanStore

/// One collection of an active peer: its push, its pull, and how far both have come.
final class ActiveCollection {
    let path: CollectionPath
    let checkpointer: Checkpointer
    private var puller: Puller?
    private var failedPulls: FailedPulls?
    private var pusher: Pusher?
    /// Whether there is a pusher, so that nothing is looked up where there is none.
    private let pushes: Bool

    private let number: Int
    private let options: PeerConfiguration.CollectionOptions
    private let admission: Admission
    private let connection: Connection
    private let inbox: Inbox
    private let remarks: PeerReports
    private let conflicts: OpenConflicts
    private var remoteOrder = RemoteOrder()
    private var withdrawals = Withdrawals()

    /// Reads the checkpoint; a reset does not continue from it.
    init(
        _ number: Int,
        of peer: PeerConfiguration.ActiveOptions,
        _ inbox: Inbox,
        _ remarks: PeerReports,
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

    /// Both copies of the checkpoint are known: starts push and pull.
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
            let failedPulls = try FailedPulls(number, options, remarks, over: connection)
            if peer.retriesRefused {
                checkpointer.pullAgain(
                    after: failedPulls.start(before: checkpointer.remote.safe)
                )
            }
            self.failedPulls = failedPulls
            let puller = Puller(
                collection: number,
                options: options,
                purgesRevoked: peer.purgesRevoked,
                checkpointer: checkpointer,
                failedPulls: failedPulls,
                remarks: remarks,
                over: connection
            )
            puller.subscribe(
                isContinuous: peer.isContinuous,
                // One that fell back to an empty copy may get earlier documents from others.
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
            // A later push shares this checkpoint and will find both copies equal.
            checkpointer.beginPush(through: last)
        }
    }

    /// Forgets refusals whose documents have changed; if `retries`, the others are pushed again.
    ///
    /// They stay remembered until the peer has answered, so a run that ends earlier loses nothing.
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

    /// Changes of either side that have not been examined yet, at most.
    var unreadCount: UInt64 { (puller?.unreadCount ?? 0) + (pusher?.unreadCount ?? 0) }

    /// Whether it has more changes to read, but must let others go first.
    var wantsTurn: Bool { pusher?.wantsTurn ?? false }

    /// How far its changes have been read; `nil` when it pushes nothing.
    var feedPhase: FeedPhase? { pusher?.feedPhase }

    /// Whether the peer may announce more, or has announced changes that are not requested yet.
    var isCatchingUp: Bool { puller?.isCatchingUp ?? false }

    /// Since when there has been a change that either side may accept later, over another connection.
    var failedSince: Duration? {
        [pusher?.failedSince, puller?.failedSince].compactMap(\.self).min()
    }

    /// The time since which no requested revision has arrived.
    var oldestWait: Duration? { puller?.oldest }

    /// What was requested and has not arrived.
    var wait: SyncWait? { puller?.wait }

    /// When a list that waits for other connections can be answered at the latest.
    var pullDeadline: Duration? { puller?.deadline }

    /// There may be something to push.
    func notice() { pusher?.notice() }

    /// Answers the peer's lists.
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

    /// Saves the checkpoint when it is due, or at once when the collection has become idle.
    func pumpCheckpoint() {
        let isForced = isIdle && inbox.ready.isEmpty && remarks.isEmpty
        if isForced {
            remoteOrder.clear()
            withdrawals.clear()
        }
        checkpointer.pump(isForced: isForced)
    }

    /// Reports conflicts that the pull did not clear as errors of their documents.
    func reportUnresolved() { pusher?.reportUnresolved() }
}

// MARK: - Requests and answers

extension ActiveCollection {
    /// Handles a list of changes.
    func receiveChanges(_ request: BLIPIncomingRequest) throws(SyncError) {
        guard puller != nil else { throw .pushesOnly }
        puller?.receive(request)
    }

    /// Handles a `rev` message.
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
                // The user lost access to that revision, and was sent a later one.
                handle(.gone, of: Arrival(request))
            } else if body.isRemoved, let puller {
                remarks.add(puller.removal(by: message, request))
            } else {
                try inbox.take(message, body, request, in: admission)
            }
        } catch {
            handle(.init(refusing: error), of: Arrival(request))
        }
    }

    /// The peer cannot send a requested revision: its sequence is finished.
    ///
    /// A deleted document or a newer revision is no failure; any other reason is reported for the document.
    func receiveMissingRevision(_ request: BLIPIncomingRequest) {
        let code = request.properties.integer("error") ?? HTTPStatus.notFound.rawValue
        let status = (400...999).contains(code) ? HTTPStatus(rawValue: code) : .badGateway
        let reason = request.properties["reason"] ?? "the peer cannot send the document"
        let error = RevisionSender.error(ofPeer: status, reason)
        var arrival = Arrival(request)
        let old = request.properties["seq"].map { RemoteSequence(json: $0) }
        arrival.sequence = (arrival.sequence ?? old).map { puller?.requested.announced($0) ?? $0 }
        let isGone = status == .notFound || status == .gone
        handle(isGone ? .gone : .unavailable(error), of: arrival)
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
    /// Decides what happens to a withdrawn document; once purged, no revision sent earlier is stored.
    ///
    /// The pull filter is asked; a veto keeps the document and is reported as its own error.
    func verdict(on removal: PeerReports.Removal) -> PeerReports.Verdict {
        guard removal.purges else { return .keeps }
        guard options.pullFilter?(removal.question) ?? true else { return .vetoed }
        withdrawals.note(removal, awaited: awaited)
        return .purges
    }

    /// Reports a withdrawn document; if it could not be purged, the peer must report the loss again.
    ///
    /// Called after the transaction, which may have failed, and after its revisions are reported.
    func finish(
        _ removal: PeerReports.Removal,
        _ verdict: PeerReports.Verdict,
        _ failure: SyncError?
    ) {
        let failure = verdict == .purges ? failure : nil
        let error = verdict == .vetoed ? .rejected : failure
        connection.report(removal.event(in: path, error))
        if error == nil { failedPulls?.settle(removal.documentID) }
        finish(removal.sequence, isFinished: failure == nil, byteCount: 0)
        if let error {
            connection.refuse(removal.request, with: error)
        } else {
            connection.answer(removal.request)
        }
    }

    var hasWithdrawals: Bool { !withdrawals.isEmpty }

    /// Drops a revision that was sent before its document was withdrawn; the loss has already been reported.
    func dropsWithdrawn(_ revision: IncomingRevision) -> Bool {
        let message = revision.message
        guard withdrawals.covers(message.documentID, message.sequence) else { return false }
        handle(.withdrawn, of: Arrival(revision))
        return true
    }

    /// The documents with a revision that is still to be stored.
    private var awaited: Set<DocumentID> { puller?.awaited ?? [] }

    /// Returns what the peer reported about a document, and records it as the latest; `nil` if the peer has already
    /// reported something newer.
    func upToDate(_ mark: PeerReports.Mark) -> PeerReports.Mark? {
        guard puller != nil else { return mark }
        return remoteOrder.upToDate(mark, awaited: awaited)
    }

    /// Whether the peer has reported something newer about the document than this revision, which it sent; if not,
    /// records the revision as the latest.
    ///
    /// A first revision counts, too: its document may have been recreated.
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
        handle(.init(result), of: Arrival(revision), answeredBy: reply)
        // Ours may be the same merge under another name, which the peer is no longer known to have.
        if case .alreadyThere = result, connection.dialect.mayCross { pusher?.notice() }
    }

    /// Applies an event to a revision, and carries out the effects.
    private func handle(
        _ event: PulledRevision.Event,
        of arrival: Arrival,
        answeredBy reply: BLIPReply = .empty
    ) {
        var life = arrival.life
        let effects = life.handle(event)
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
        if let revisionID = arrival.revisionID { puller?.ended(arrival.documentID, revisionID) }
        if effects.contains(.pass) { note(event.error, of: arrival) }
        finish(
            arrival.sequence,
            isFinished: effects.contains(.pass),
            byteCount: arrival.byteCount
        )
    }

    /// The pull brought the peer's revision of a document, or found it here already.
    func pulled(_ documentID: DocumentID, isBehind: Bool = false) {
        guard pushes else { return }
        do {
            try pusher?.pulled(documentID, isBehind: isBehind)
        } catch {
            connection.end(storage: error, .cannotFulfil)
        }
    }

    /// Records whether a revision that this run does not request again could be pulled.
    private func note(_ error: SyncError?, of arrival: Arrival) {
        guard let error else {
            failedPulls?.settle(arrival.documentID)
            return
        }
        failedPulls?.note(arrival.documentID, arrival.revisionID, arrival.sequence, error)
    }

    /// A requested revision arrived, or never will.
    private func finish(_ sequence: RemoteSequence?, isFinished: Bool, byteCount: Int) {
        guard let sequence else { return }
        puller?.finish(sequence, isFinished: isFinished, byteCount: byteCount)
    }
}

/// The parts of a message about a requested revision that are needed afterwards.
private struct Arrival {
    let request: BLIPRequestID?
    let documentID: DocumentID
    let revisionID: RevisionID?
    var sequence: RemoteSequence?
    let byteCount: Int
    let flags: SyncFlags
    var life = PulledRevision.requested
    var delta: DeltaUse?

    /// A revision that is not accepted.
    init(_ message: BLIPIncomingRequest) {
        let properties = message.properties
        request = message.isNoReply ? nil : message.id
        documentID = DocumentID(unchecked: properties["id"] ?? "")
        revisionID = properties["rev"].flatMap { RevisionID(ofAnyScheme: $0) }
        sequence = properties["sequence"].map { RemoteSequence(json: $0) }
        byteCount = message.body.count
        flags = properties.bool("deleted") ? .deleted : []
    }

    init(_ revision: IncomingRevision) {
        request = revision.request
        documentID = revision.message.documentID
        revisionID = revision.message.revisionID
        sequence = revision.message.sequence
        byteCount = revision.body.count
        flags = revision.flags
        life = revision.life
        delta = revision.delta
    }

    func event(in path: CollectionPath, _ error: SyncError?) -> DocumentEvent {
        let delta = error == nil ? delta : nil
        return DocumentEvent(
            pulling: documentID,
            revisionID,
            in: path,
            flags: flags,
            delta: delta,
            error
        )
    }
}
