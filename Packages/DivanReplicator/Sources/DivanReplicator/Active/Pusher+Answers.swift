import DivanBLIP
import DivanRevisions
import DivanStore

extension Pusher {
    /// Takes the answer to a list of proposals.
    mutating func answered(
        _ proposals: [Proposal],
        _ reply: BLIPIncomingReply
    ) throws {
        listsInFlightCount -= 1
        if let failure = reply.error {
            for proposal in proposals { release(proposal.change) }
            connection.fail(SyncError(failure))
            return
        }
        guard
            let answers = try? ProposalAnswer.parse(
                reply.body,
                in: connection.dialect,
                count: proposals.count
            )
        else {
            connection.fail(SyncError(.liteCore, 26, "unreadable answer to proposeChanges"))
            return
        }
        if reply.properties.bool("deltas") { sender.sendsDeltas = true }
        let terms = PeerTerms(reply.properties, limits: connection.limits)
        for (proposal, answer) in zip(proposals, answers) {
            switch answer.status {
            case 0:
                var revision = OutgoingRevision(change: proposal.change, terms: terms)
                if let ancestor = proposal.ancestor { revision.known = [ancestor] }
                revision.attemptCount = proposal.attemptCount
                sender.enqueue(revision)
            case 304:
                delivered(proposal.change, reply)
            case 409:
                try conflicted(proposal, answer.currentRevision)
            default:
                let error = SyncError.http(answer.status, "the peer refuses the revision")
                refused(proposal.change, error)
                complete(proposal.change)
            }
        }
    }

    /// The peer has the revision.
    private mutating func delivered(
        _ change: FeedChange,
        _ reply: BLIPIncomingReply
    ) {
        remarks.add(
            Remarks.Mark(
                collection: collection,
                revision: KnownRevision(
                    documentID: change.documentID,
                    revisionID: change.revisionID,
                    sequence: change.isFirst ? change.sequence : nil,
                    feedEnd: change.feedEnd
                ),
                remoteSequence: reply.properties[RemoteOrder.property].flatMap { UInt64($0) }
            )
        )
        connection.progress.complete(change.bodyByteCount)
        complete(change, newAncestor: change.revisionID)
    }

    /// Notes under which sequence a peer of ours stored a revision: the pull need not compare it.
    ///
    /// Where the peer had the revision already, it only says how far its sequences are.
    private func notePlace(_ reply: BLIPIncomingReply) {
        guard pulls, !reply.properties.bool("noop"),
            !reply.properties.bool(RemoteOrder.branchedProperty),
            let sequence = reply.properties[RemoteOrder.property].flatMap({ UInt64($0) })
        else { return }
        checkpointer.remote.notePushed(sequence)
    }

    /// Takes the answer to a revision that was sent.
    mutating func answered(
        _ revision: OutgoingRevision,
        _ reply: BLIPIncomingReply
    ) throws {
        let change = revision.change
        let error = reply.error.map { SyncError($0) }
        if sender.answered(revision, error) { return }
        guard let error else {
            var event = event(change, nil)
            event.delta = revision.delta
            connection.report(event)
            notePlace(reply)
            delivered(change, reply)
            return
        }
        if error.domain == .webSocket, error.code == 403, !revision.wasForbidden {
            var again = revision
            again.wasForbidden = true
            forbidden.append(again)
            return
        }
        connection.progress.complete(change.bodyByteCount)
        if error.isConflict {
            // Somebody was faster than this revision, though its proposal was accepted.
            let proposal = Proposal(
                change: change,
                ancestor: revision.known.first,
                attemptCount: revision.attemptCount
            )
            let theirs = reply.properties[BLIPProperties.rivalProperty]
                .flatMap { connection.dialect.rival($0) }
            try conflicted(proposal, theirs)
            return
        }
        if error.isTransient {
            connection.report(event(change, error))
            release(change)
            if error.domain == .webSocket, error.code == 503 { connection.fail(error) }
        } else {
            refused(change, error)
            complete(change)
        }
    }

    /// Decides what a 409 means, as `replication.md` §5 (a)–(d) does.
    private mutating func conflicted(
        _ proposal: Proposal,
        _ theirs: RevisionID?
    ) throws {
        let change = proposal.change
        let found: (any RevisionHistory)?
        do {
            found = try connection.store.read { try $0.revisions(of: change.documentID, in: path) }
        } catch let error as StoreError where error.concernsOneDocument {
            connection.report(event(change, SyncError(storage: error)))
            complete(change)
            return
        }
        guard let history = found, let current = history.current,
            current.id == change.revisionID, !history.isConflicted
        else {
            // Obsolete, or in conflict by now: what follows from it is a change of its own.
            complete(change)
            return
        }
        if let ancestor = betterAncestor(than: proposal, theirs, history) {
            retries.append(
                Proposal(
                    change: change,
                    ancestor: ancestor,
                    attemptCount: proposal.attemptCount + 1
                )
            )
        } else if try graft(change, theirs ?? proposal.ancestor, history) {
            complete(change)
            notice()
        } else if let taken = try takeBack(theirs, change) {
            connection.report(taken)
            complete(change)
            notice()
        } else if pulls, awaitingPull.count < connection.limits.awaitedConflictsCount {
            awaitingPull[change.documentID] = proposal
            // What the pull clears does not count any more; a crash must not lose the rest.
            remember(change, .rival)
            complete(change)
        } else {
            refused(change, .rival)
            complete(change)
        }
    }

    /// Takes the revision that a peer of ours insists on, where it was given up here and precedes
    /// the one that was pushed (`RevisionTree`, decision 0010).
    ///
    /// - Returns: What to report when it is current now; `nil` when it must come with the pull.
    private func takeBack(
        _ theirs: RevisionID?,
        _ change: FeedChange
    ) throws -> DocumentEvent? {
        guard pulls, connection.peerKeepsOrder, let theirs, let remote = connection.remote else {
            return nil
        }
        let taken = try connection.store.write(origin: connection.origin) { writer in
            try writer.takeBack(theirs, of: change.documentID, from: remote, in: path)
        }
        return taken.map { document in
            DocumentEvent(
                pulling: change.documentID,
                in: path,
                flags: document.isTombstone ? .deleted : [],
                nil
            )
        }
    }

    /// Makes a revision that a peer of another kind can take, where it has one that we gave up.
    ///
    /// - Returns: Whether there is one now; it is pushed as a change of its own.
    private func graft(
        _ change: FeedChange,
        _ theirs: RevisionID?,
        _ history: any RevisionHistory
    ) throws -> Bool {
        guard !connection.peerIsOurs,
            let loser = theirs ?? connection.remote.flatMap({ history.latest(at: $0) }),
            !history.closedBranch(from: loser).isEmpty
        else { return false }
        return try connection.store.write { writer in
            try writer.graftCurrent(of: change.documentID, onto: loser, in: path)
        }
    }

    /// An ancestor with which the proposal may succeed at once.
    private func betterAncestor(
        than proposal: Proposal,
        _ theirs: RevisionID?,
        _ history: any RevisionHistory
    ) -> RevisionID? {
        guard proposal.attemptCount < 5 else { return nil }
        let mine = proposal.change.revisionID
        if let theirs, theirs != proposal.ancestor, Self.follows(theirs, mine, history) {
            return theirs
        }
        guard pulls, !history.isConflicted, let remote = connection.remote,
            let known = history.latest(at: remote), known != proposal.ancestor,
            Self.follows(known, mine, history)
        else { return nil }
        return known
    }

    /// Whether a peer whose current revision is `theirs` can take ours: it descends from that one,
    /// or the branch of that one was given up here, which the peer is told.
    private static func follows(
        _ theirs: RevisionID,
        _ mine: RevisionID,
        _ history: any RevisionHistory
    ) -> Bool {
        history.isAncestor(theirs, of: mine) || !history.closedBranch(from: theirs).isEmpty
    }

    /// The pull brought, or recognised, the peer's revision of a document: a refused proposal may
    /// succeed now, and one that counts as done where the peer `isBehind`, or took another one since.
    mutating func pulled(_ documentID: DocumentID, isBehind: Bool) throws {
        let wasOvertaken = !isUnderway(documentID) && overtakenIDs.remove(documentID) != nil
        guard let waiting = awaitingPull.removeValue(forKey: documentID) else {
            if isBehind || wasOvertaken { try reconsider(documentID) }
            return
        }
        let change = waiting.change
        guard
            let history = try connection.store.read({
                try $0.soundHistory(of: documentID, in: path)
            }),
            !history.isConflicted, history.current?.id == change.revisionID,
            let remote = connection.remote, let known = history.latest(at: remote),
            known != change.revisionID, Self.follows(known, change.revisionID, history)
        else { return }
        checkpointer.completed.remove(change.sequence)
        underway.updateValue(.none, forKey: documentID)
        retries.append(
            Proposal(change: change, ancestor: known, attemptCount: waiting.attemptCount + 1)
        )
    }

    /// The peer is behind on a document that counts as done: what was refused, because it had
    /// another revision then, may succeed now.
    private mutating func reconsider(
        _ documentID: DocumentID
    ) throws {
        guard underway[documentID] == nil, let remote = connection.remote else { return }
        let found: (ChangeRow, RevisionID)? = try connection.store.read { reader in
            guard let history = try reader.soundHistory(of: documentID, in: path),
                !history.isConflicted,
                let current = history.current, let known = history.latest(at: remote),
                known != current.id, Self.follows(known, current.id, history),
                current.sequence > 0, checkpointer.completed.contains(current.sequence)
            else { return nil }
            let sequence = current.sequence
            let rows = try reader.changes(in: path, after: sequence - 1, limit: 1, remote: remote)
            guard let row = rows.first, row.documentID == documentID, try passes(row, reader)
            else { return nil }
            return (row, known)
        }
        guard let (row, known) = found else { return }
        let change = FeedChange(row)
        checkpointer.completed.remove(change.sequence)
        underway.updateValue(.none, forKey: documentID)
        retries.append(Proposal(change: change, ancestor: known))
    }

    /// Conflicts that the pull did not clear are the documents' errors.
    mutating func reportUnresolved() {
        let waiting = awaitingPull.values.sorted { $0.change.sequence < $1.change.sequence }
        for proposal in waiting {
            connection.report(event(proposal.change, .rival))
        }
        awaitingPull = [:]
    }
}

extension StoreReader {
    /// The revisions of a document, or `nil` where there are none that can be read.
    fileprivate func soundHistory(
        of documentID: DocumentID,
        in path: CollectionPath
    ) throws(StoreError) -> (any RevisionHistory)? {
        let result = Result { () throws(StoreError) in try revisions(of: documentID, in: path) }
        if case .failure(let error) = result, error.concernsOneDocument { return nil }
        return try result.get()
    }
}
