import DivanBLIP
import DivanRevisions
import DivanStore

// One transaction for everything that has arrived, then the answers.
extension SyncPeer {
    /// Stores what has arrived; marks alone wait for more of them while a backlog is pushed.
    mutating func commitDue() {
        let holdsMarks =
            inbox.hasOnlyMarks && inbox.remarkCount < session.limits.heldMarksCount
            && collections.contains { $0.pusher?.isInBacklog ?? false }
            && !collections.contains { $0.savesCheckpoint(at: session.now) }
        if !holdsMarks { commitInbox() }
    }

    mutating func commitInbox() {
        guard !inbox.isEmpty else { return }
        let refusals = inbox.takeRefusals()
        let (arrived, removals, told) = inbox.take()
        let allowed = removals.filter { asksToPurge($0) }
        for removal in allowed { collections[removal.collection].note(removal) }
        let isAnyWithdrawn = collections.contains { !$0.withdrawals.isEmpty }
        let ready = isAnyWithdrawn ? arrived.filter { !dropsWithdrawn($0) } : arrived
        let paths = collections.map(\.path)
        let remote = session.remote
        let marks = told.filter { !collections[$0.collection].isOutdated($0) }
        let outdated = ready.map { collections[$0.collection].isOutdated($0.message) }
        do {
            let peerKeepsOrder = session.peerKeepsOrder
            let results = try session.store.write(origin: session.origin) { writer in
                for removal in allowed {
                    _ = try writer.purge(removal.documentID, in: paths[removal.collection])
                }
                try writer.mark(marks, paths, remote)
                try writer.note(refusals, paths, remote)
                return try zip(ready, outdated).map { revision, isOutdated in
                    let path = paths[revision.collection]
                    return try writer.insert(
                        revision,
                        in: path,
                        remote,
                        // A client says so with the revision.
                        keepsOrder: remote == nil ? revision.message.keepsOrder : peerKeepsOrder,
                        isOutdated: isOutdated
                    )
                }
            }
            for index in ready.indices { finish(ready[index], results[index]) }
            for removal in allowed { finish(removal) }
            for mark in marks {
                let documentID = mark.revision.documentID
                noticePulled(documentID, in: mark.collection, isBehind: mark.isBehind)
            }
        } catch {
            let failure = SyncError(storage: error)
            for revision in ready {
                finish(revision, .failed(failure), isLost: true)
            }
            session.fail(failure)
        }
    }

    /// Drops a revision that was sent before its document was withdrawn; the loss has been told.
    private mutating func dropsWithdrawn(_ revision: IncomingRevision) -> Bool {
        let (message, index) = (revision.message, revision.collection)
        guard collections[index].withdrawals.covers(message.documentID, message.sequence) else {
            return false
        }
        session.answer(revision.request)
        finish(message.sequence, in: index, isFinished: true, byteCount: revision.body.count)
        return true
    }

    /// Asks the pull filter about a lost document; a veto keeps it and is an error of its own.
    private mutating func asksToPurge(_ removal: Removal) -> Bool {
        let index = removal.collection
        if removal.purges, let filter = collections[index].pullFilter,
            !filter(removal.question)
        {
            let error = SyncError.http(403, "rejected by validation function")
            report(removal.documentID, in: index, flags: removal.flags, error)
            finish(removal.sequence, in: index, isFinished: true, byteCount: 0)
            session.refuse(removal.request, with: error)
            return false
        }
        guard removal.purges else {
            finish(removal)
            return false
        }
        return true
    }

    private mutating func finish(_ removal: Removal) {
        let index = removal.collection
        report(removal.documentID, in: index, flags: removal.flags, nil)
        finish(removal.sequence, in: index, isFinished: true, byteCount: 0)
        session.answer(removal.request)
    }

    /// Answers a revision and counts it; one that was lost with its transaction must come again.
    mutating func finish(
        _ revision: IncomingRevision,
        _ result: RevisionResult,
        isLost: Bool = false
    ) {
        let (message, index) = (revision.message, revision.collection)
        var isFinished = true
        switch result {
        case .inserted(let sequence, let isConflict, let isBranched):
            // The sender must still hear which branch counts.
            let remark: BLIPProperties = isBranched ? [RemoteOrder.branchedProperty: "true"] : [:]
            answer(revision.request, in: index, at: sequence, remark)
            remember(message, in: index, isBranched: isBranched)
            if isConflict, isActive {
                askForResolution(of: message.documentID, in: collections[index].path)
            } else {
                let flags: SyncFlags = message.isTombstone ? .deleted : []
                report(message.documentID, in: index, flags: flags, delta: revision.delta, nil)
            }
            noticePulled(message.documentID, in: index)
        case .alreadyThere(let sequence):
            answer(revision.request, in: index, at: sequence, ["noop": "true"])
            noticePulled(message.documentID, in: index)
        case .givenUp(let sequence, let current):
            insist(on: current, against: revision, at: sequence)
        case .failed(let error):
            session.refuse(revision.request, with: error)
            report(message.documentID, in: index, flags: [], error)
            isFinished = !isLost && !error.isTransient
        }
        finish(message.sequence, in: index, isFinished: isFinished, byteCount: revision.body.count)
    }

    /// The peer sent what was given up here: it is to hear of our revision, and what that closed.
    private mutating func insist(
        on current: RevisionID,
        against revision: IncomingRevision,
        at sequence: UInt64
    ) {
        let index = revision.collection
        if isActive {
            answer(revision.request, in: index, at: sequence, ["noop": "true"])
            collections[index].pusher?.notice()
        } else {
            let error = SyncError.http(409, "the revision was given up here for another")
            session.refuse(
                revision.request,
                with: error,
                properties: [BLIPProperties.rivalProperty: current.description]
            )
            collections[index].echoes[revision.message.documentID] = nil
            collections[index].feed?.notice()
        }
    }

    /// Says that a revision is stored; to a peer that pulls, too, how far the sequences were then.
    private mutating func answer(
        _ request: BLIPRequestID?,
        in index: Int,
        at sequence: UInt64,
        _ properties: BLIPProperties = BLIPProperties()
    ) {
        var properties = properties
        if collections[index].feed != nil {
            properties.append(RemoteOrder.property, String(sequence))
        }
        session.answer(request, with: BLIPReply(properties: properties))
    }

    /// So that a subscription does not tell the peer what it has just told us.
    ///
    /// Where we have another branch too, the peer may have given up its own for that one while
    /// this revision was on its way here: it must hear which of them counts.
    private mutating func remember(
        _ message: RevisionMessage,
        in index: Int,
        isBranched: Bool
    ) {
        guard collections[index].isFollowed else { return }
        guard !isBranched else {
            collections[index].echoes[message.documentID] = nil
            collections[index].feed?.notice()
            return
        }
        if collections[index].echoes.count >= session.limits.rememberedEchoesCount {
            collections[index].echoes = [:]  // an echo costs one entry of a list, no more
        }
        collections[index].echoes[message.documentID] = message.revisionID
        collections[index].feed?.notice()
    }

    private mutating func noticePulled(
        _ documentID: DocumentID,
        in index: Int,
        isBehind: Bool = false
    ) {
        guard isBehind || collections[index].awaitsPull(of: documentID),
            var checkpointer = collections[index].checkpointer.take()
        else { return }
        do {
            try collections[index].pusher?.pulled(documentID, &session, &checkpointer)
        } catch {
            session.fail(SyncError(storage: error))
        }
        collections[index].checkpointer = checkpointer
    }
}

extension StoreWriter {
    /// Stores one received revision; what is wrong with it alone does not end the transaction.
    fileprivate func insert(
        _ revision: IncomingRevision,
        in path: CollectionPath,
        _ remote: RemoteID?,
        keepsOrder: Bool,
        isOutdated: Bool
    ) throws -> RevisionResult {
        let message = revision.message
        do throws(StoreError) {
            let outcome = try insert(
                RemoteRevision(
                    documentID: message.documentID,
                    revisionID: message.revisionID,
                    history: message.history,
                    isTombstone: message.isTombstone,
                    body: revision.body,
                    hasBlobs: revision.hasBlobs,
                    remote: remote,
                    // Only the active side stores conflicts, for it alone resolves them.
                    refusesConflicts: remote == nil,
                    closing: message.closing,
                    keepsOrder: keepsOrder,
                    isOutdated: isOutdated
                ),
                in: path
            )
            return switch outcome {
            case .inserted(let sequence, let isConflict, let isBranched):
                .inserted(sequence: sequence, isConflict: isConflict, isBranched: isBranched)
            case .alreadyThere: .alreadyThere(lastSequence: try lastSequence(in: path))
            case .givenUp(let sequence, let current):
                .givenUp(sequence: sequence, current: current)
            }
        } catch {
            guard error.concernsOneDocument else { throw error }
            return .failed(SyncError(storage: error))
        }
    }

    fileprivate func note(
        _ refusals: [Inbox.PushRefusal],
        _ paths: [CollectionPath],
        _ remote: RemoteID?
    ) throws {
        guard let remote, !refusals.isEmpty else { return }
        for (index, path) in paths.enumerated() {
            let here = refusals.lazy.filter { $0.collection == index }.map(\.refusal)
            try note(Array(here), at: remote, in: path)
        }
    }

    fileprivate func mark(
        _ marks: [Inbox.Mark],
        _ paths: [CollectionPath],
        _ remote: RemoteID?
    ) throws {
        guard let remote, !marks.isEmpty else { return }
        for (index, path) in paths.enumerated() {
            let known = marks.lazy.filter { $0.collection == index }.map(\.revision)
            if !known.isEmpty { try markKnown(Array(known), at: remote, in: path) }
        }
    }
}
