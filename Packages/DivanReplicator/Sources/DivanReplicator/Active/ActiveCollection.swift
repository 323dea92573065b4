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
        self.number = number
        self.inbox = inbox
        self.remarks = remarks
        self.conflicts = conflicts
        self.connection = connection
        admission = Admission(collection: number, path: path, filter: options.pullFilter)
        checkpointer = try Checkpointer(
            names: CheckpointNames(of: options, peer, in: connection.store),
            collection: number,
            isReset: peer.isReset,
            over: connection
        )
    }

    /// Both copies of the checkpoint are known: push and pull begin.
    func start(_ peer: PeerConfiguration.ActiveOptions) throws {
        if peer.pushes { try reviewRefusals(retries: peer.retriesRefused) }
        let (last, conflicted) = try connection.store.read { reader in
            (try reader.lastSequence(in: path), try reader.conflicts(in: path))
        }
        if peer.pulls {
            var puller = Puller(
                collection: number,
                options: options,
                purgesRevoked: peer.purgesRevoked,
                checkpointer: checkpointer,
                remarks: remarks,
                over: connection
            )
            puller.start(
                isContinuous: peer.isContinuous,
                skipsTombstones: !checkpointer.hadLocalCopy && last == 0
            )
            self.puller = puller
            for documentID in conflicted { conflicts.addEarlier(documentID, in: path) }
        }
        if peer.pushes {
            pusher = Pusher(
                collection: number,
                options: options,
                pulls: peer.pulls,
                after: checkpointer,
                through: last,
                remarks: remarks,
                over: connection
            )
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

    /// Whether changes from before the connection are still being read.
    var isInBacklog: Bool { pusher?.isInBacklog ?? false }

    /// There may be something to push.
    func notice() { pusher?.notice() }

    /// Answers lists of the peer.
    func pumpPuller() { puller?.pump() }

    /// Proposes and sends as far as the windows allow.
    func pumpPusher() {
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
            if body.isRemoved, let puller {
                remarks.add(
                    puller.removal(
                        of: message.documentID,
                        message.revisionID,
                        request: request.isNoReply ? nil : request.id,
                        sequence: message.sequence
                    )
                )
            } else {
                try inbox.take(message, body, request, in: admission)
            }
        } catch {
            refuse(request, error)
        }
    }

    /// The peer cannot send what was asked for: the sequence is done.
    ///
    /// A document that is gone or has gone on is no failure; any other reason is the document's.
    func receiveMissingRevision(_ request: BLIPIncomingRequest) {
        let text = request.properties["sequence"] ?? request.properties["seq"]
        finish(text.map { RemoteSequence(json: $0) }, isFinished: true, byteCount: 0)
        connection.answer(request)
        let code = request.properties.integer("error") ?? HTTPStatus.notFound.rawValue
        let status = (400...999).contains(code) ? HTTPStatus(rawValue: code) : .badGateway
        guard status != .notFound, status != .gone else { return }
        let reason = request.properties["reason"] ?? "the peer cannot send the document"
        report(
            DocumentID(unchecked: request.properties["id"] ?? ""),
            SyncError(.http(status), reason, isFromPeer: true)
        )
    }

    private func refuse(_ request: BLIPIncomingRequest, _ error: SyncError) {
        connection.refuse(request, with: error)
        guard !error.refusesDelta else { return }  // comes again in full
        finish(
            request.properties["sequence"].map { RemoteSequence(json: $0) },
            isFinished: !error.isTransient,
            byteCount: request.body.count
        )
        report(
            DocumentID(unchecked: request.properties["id"] ?? ""),
            flags: request.properties.bool("deleted") ? .deleted : [],
            error
        )
    }

    func subscribed(_ reply: BLIPIncomingReply) {
        puller?.subscribed(reply)
        conflicts.askAboutEarlier()
    }

    func answered(_ documentIDs: [DocumentID], _ reply: BLIPIncomingReply) throws {
        try pusher?.answered(documentIDs, reply)
    }

    func answered(_ revision: OutgoingRevision, _ reply: BLIPIncomingReply) throws {
        try pusher?.answered(revision, reply)
    }
}

// MARK: - Around the transaction

extension ActiveCollection {
    /// Whether a lost document is to be purged; what was sent of it before is not stored then.
    ///
    /// The pull filter is asked; a veto keeps the document and is an error of its own.
    func purges(_ removal: Remarks.Removal) -> Bool {
        guard removal.purges else {
            finish(removal)
            return false
        }
        guard options.pullFilter?(removal.question) ?? true else {
            report(removal.documentID, flags: removal.flags, .rejected)
            finish(removal.sequence, isFinished: true, byteCount: 0)
            connection.refuse(removal.request, with: .rejected)
            return false
        }
        if let sequence = removal.sequence { withdrawals.note(removal.documentID, sequence) }
        return true
    }

    /// A lost document is purged, or stays where nothing is.
    func finish(_ removal: Remarks.Removal) {
        report(removal.documentID, flags: removal.flags, nil)
        finish(removal.sequence, isFinished: true, byteCount: 0)
        connection.answer(removal.request)
    }

    var hasWithdrawals: Bool { !withdrawals.isEmpty }

    /// Drops a revision that was sent before its document was withdrawn; the loss has been told.
    func dropsWithdrawn(_ revision: IncomingRevision) -> Bool {
        let message = revision.message
        guard withdrawals.covers(message.documentID, message.sequence) else { return false }
        connection.answer(revision.request)
        finish(message.sequence, isFinished: true, byteCount: revision.body.count)
        return true
    }

    /// Returns what the peer told of a document if that is not old by now; what it told before is then.
    func upToDate(_ mark: Remarks.Mark) -> Remarks.Mark? {
        guard puller != nil, let sequence = mark.remoteSequence else { return mark }
        let documentID = mark.revision.documentID
        guard !remoteOrder.isPassed(documentID, sequence) else { return nil }
        var mark = mark
        // A later revision may have come under the same sequence, in place of this one.
        if !remoteOrder.note(documentID, sequence) { mark.revision.isCurrentThere = false }
        return mark
    }

    /// The same for a revision that it sent.
    ///
    /// Only a revision that follows others can have overtaken one.
    func isOutdated(_ message: RevisionMessage) -> Bool {
        guard puller != nil, let sequence = message.sequence?.number else { return false }
        guard
            !message.ancestry.ids.isEmpty || connection.dialect.mayFollowUnnamed
                || pusher?.isUnderway(message.documentID) ?? false
        else {
            return remoteOrder.isPassed(message.documentID, sequence)
        }
        guard !remoteOrder.isPassed(message.documentID, sequence) else { return true }
        remoteOrder.note(message.documentID, sequence)
        return false
    }

    /// Answers a revision and counts it.
    func finish(_ revision: IncomingRevision, _ result: RevisionResult) {
        let message = revision.message
        var isFinished = true
        switch result {
        case .inserted(_, let isConflict, let isBranched):
            // The sender must still hear which branch counts.
            let remark: BLIPProperties = isBranched ? [RemoteOrder.branchedProperty: "true"] : [:]
            connection.answer(revision.request, with: BLIPReply(properties: remark))
            if isConflict {
                conflicts.ask(about: message.documentID, in: path)
            } else {
                report(message.documentID, flags: revision.flags, delta: revision.delta, nil)
            }
            pusher?.trust(message.documentID)
            pulled(message.documentID)
        case .alreadyThere:
            connection.answer(revision.request, with: .noop)
            pulled(message.documentID)
        case .givenUp:
            // The peer is to hear of our revision, and what that closed.
            connection.answer(revision.request, with: .noop)
            pusher?.notice()
        case .failed(let error, let isLost):
            connection.refuse(revision.request, with: error)
            report(message.documentID, error)
            isFinished = !isLost && !error.isTransient
        }
        finish(message.sequence, isFinished: isFinished, byteCount: revision.body.count)
    }

    /// The pull brought, or recognised, the peer's revision of a document.
    func pulled(_ documentID: DocumentID, isBehind: Bool = false) {
        do {
            try pusher?.pulled(documentID, isBehind: isBehind)
        } catch {
            connection.fail(SyncError(storage: error))
        }
    }

    /// A revision that was asked for arrived, or never will.
    private func finish(_ sequence: RemoteSequence?, isFinished: Bool, byteCount: Int) {
        guard let sequence else { return }
        puller?.finish(sequence, isFinished: isFinished, byteCount: byteCount)
    }

    private func report(
        _ documentID: DocumentID,
        flags: SyncFlags = [],
        delta: DeltaUse? = nil,
        _ error: SyncError?
    ) {
        var event = DocumentEvent(pulling: documentID, in: path, flags: flags, error)
        event.delta = delta
        connection.report(event)
    }
}
