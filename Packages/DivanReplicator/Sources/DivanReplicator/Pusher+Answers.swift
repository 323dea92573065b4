import DivanBLIP
import DivanRevisions
import DivanStore

extension Pusher {
    /// Takes the answer to a list of proposals.
    mutating func answered(
        _ proposals: [Proposal],
        _ reply: BLIPIncomingReply,
        _ session: inout Session,
        _ checkpointer: inout Checkpointer,
        _ inbox: inout Inbox
    ) throws {
        listsInFlightCount -= 1
        if let failure = reply.error {
            for proposal in proposals { release(proposal.change) }
            session.fail(SyncError(failure))
            return
        }
        guard let answers = try? ProposalAnswer.parse(reply.body, count: proposals.count) else {
            session.fail(SyncError(.liteCore, 26, "unreadable answer to proposeChanges"))
            return
        }
        if reply.properties.bool("deltas") { sender.sendsDeltas = true }
        let terms = PeerTerms(reply.properties, limits: session.limits)
        for (proposal, answer) in zip(proposals, answers) {
            switch answer.status {
            case 0:
                var revision = OutgoingRevision(change: proposal.change, terms: terms)
                if let ancestor = proposal.ancestor { revision.known = [ancestor] }
                revision.attemptCount = proposal.attemptCount
                sender.enqueue(revision)
            case 304:
                delivered(proposal.change, reply, &session, &checkpointer, &inbox)
            case 409:
                try conflicted(proposal, answer.currentRevision, &session, &checkpointer, &inbox)
            default:
                let error = SyncError.http(answer.status, "the peer refuses the revision")
                refused(proposal.change, error, &session, &inbox)
                complete(proposal.change, &checkpointer)
            }
        }
    }

    /// The peer has the revision.
    private mutating func delivered(
        _ change: FeedChange,
        _ reply: BLIPIncomingReply,
        _ session: inout Session,
        _ checkpointer: inout Checkpointer,
        _ inbox: inout Inbox
    ) {
        inbox.add(
            Inbox.Mark(
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
        session.progress.complete(change.bodyByteCount)
        complete(change, &checkpointer, newAncestor: change.revisionID)
    }

    /// Notes under which sequence a peer of ours stored a revision: the pull need not compare it.
    ///
    /// Where the peer had the revision already, it only says how far its sequences are.
    private func notePlace(_ reply: BLIPIncomingReply, _ checkpointer: inout Checkpointer) {
        guard pulls, !reply.properties.bool("noop"),
            !reply.properties.bool(RemoteOrder.branchedProperty),
            let sequence = reply.properties[RemoteOrder.property].flatMap({ UInt64($0) })
        else { return }
        checkpointer.remote.notePushed(sequence)
    }

    /// Takes the answer to a revision that was sent.
    mutating func answered(
        _ revision: OutgoingRevision,
        _ reply: BLIPIncomingReply,
        _ session: inout Session,
        _ checkpointer: inout Checkpointer,
        _ inbox: inout Inbox
    ) throws {
        let change = revision.change
        let error = reply.error.map { SyncError($0) }
        if sender.answered(revision, error, at: session.now) { return }
        guard let error else {
            var event = event(change, nil)
            event.delta = revision.delta
            session.report(event)
            notePlace(reply, &checkpointer)
            delivered(change, reply, &session, &checkpointer, &inbox)
            return
        }
        if error.domain == .webSocket, error.code == 403, !revision.wasForbidden {
            var again = revision
            again.wasForbidden = true
            forbidden.append(again)
            return
        }
        session.progress.complete(change.bodyByteCount)
        if error.isConflict {
            // Somebody was faster than this revision, though its proposal was accepted.
            let proposal = Proposal(
                change: change,
                ancestor: revision.known.first,
                attemptCount: revision.attemptCount
            )
            let theirs = reply.properties[BLIPProperties.rivalProperty].flatMap { RevisionID($0) }
            try conflicted(proposal, theirs, &session, &checkpointer, &inbox)
            return
        }
        if error.isTransient {
            session.report(event(change, error))
            release(change)
            if error.domain == .webSocket, error.code == 503 { session.fail(error) }
        } else {
            refused(change, error, &session, &inbox)
            complete(change, &checkpointer)
        }
    }

    /// Decides what a 409 means, as `replication.md` §5 (a)–(d) does.
    private mutating func conflicted(
        _ proposal: Proposal,
        _ theirs: RevisionID?,
        _ session: inout Session,
        _ checkpointer: inout Checkpointer,
        _ inbox: inout Inbox
    ) throws {
        let change = proposal.change
        let found: RevisionTree?
        do {
            found = try session.store.read { try $0.tree(of: change.documentID, in: path) }
        } catch let error as StoreError where error.concernsOneDocument {
            session.report(event(change, SyncError(storage: error)))
            complete(change, &checkpointer)
            return
        }
        guard let tree = found, let current = tree.current, current.id == change.revisionID,
            !tree.isConflicted
        else {
            // Obsolete, or in conflict by now: what follows from it is a change of its own.
            complete(change, &checkpointer)
            return
        }
        if let ancestor = betterAncestor(than: proposal, theirs, tree, session) {
            retries.append(
                Proposal(
                    change: change,
                    ancestor: ancestor,
                    attemptCount: proposal.attemptCount + 1
                )
            )
        } else if try graft(change, theirs ?? proposal.ancestor, tree, session) {
            complete(change, &checkpointer)
            notice()
        } else if let taken = try takeBack(theirs, change, session) {
            session.report(taken)
            complete(change, &checkpointer)
            notice()
        } else if pulls, awaitingPull.count < session.limits.awaitedConflictsCount {
            awaitingPull[change.documentID] = proposal
            // What the pull clears does not count any more; a crash must not lose the rest.
            remember(change, .rival, session, &inbox)
            complete(change, &checkpointer)
        } else {
            refused(change, .rival, &session, &inbox)
            complete(change, &checkpointer)
        }
    }

    /// Takes the revision that a peer of ours insists on, where it was given up here and precedes
    /// the one that was pushed (`RevisionTree`, decision 0010).
    ///
    /// - Returns: What to report when it is current now; `nil` when it must come with the pull.
    private func takeBack(
        _ theirs: RevisionID?,
        _ change: FeedChange,
        _ session: Session
    ) throws -> DocumentEvent? {
        guard pulls, session.peerKeepsOrder, let theirs, let remote = session.remote else {
            return nil
        }
        let taken = try session.store.write(origin: session.origin) { writer in
            try writer.takeBack(theirs, of: change.documentID, from: remote, in: path)
        }
        return taken.map { document in
            DocumentEvent(
                collection: path,
                documentID: change.documentID,
                isPush: false,
                flags: document.isTombstone ? .deleted : [],
                error: nil
            )
        }
    }

    /// Makes a revision that a peer of another kind can take, where it has one that we gave up.
    ///
    /// - Returns: Whether there is one now; it is pushed as a change of its own.
    private func graft(
        _ change: FeedChange,
        _ theirs: RevisionID?,
        _ tree: RevisionTree,
        _ session: Session
    ) throws -> Bool {
        guard !session.peerIsOurs,
            let loser = theirs ?? session.remote.flatMap({ tree.latest(at: $0) }),
            !tree.closedBranch(from: loser).isEmpty
        else { return false }
        return try session.store.write { writer in
            try writer.graftCurrent(of: change.documentID, onto: loser, in: path)
        }
    }

    /// An ancestor with which the proposal may succeed at once.
    private func betterAncestor(
        than proposal: Proposal,
        _ theirs: RevisionID?,
        _ tree: RevisionTree,
        _ session: Session
    ) -> RevisionID? {
        guard proposal.attemptCount < 5 else { return nil }
        let mine = proposal.change.revisionID
        if let theirs, theirs != proposal.ancestor, Self.follows(theirs, mine, tree) {
            return theirs
        }
        guard pulls, !tree.isConflicted, let remote = session.remote,
            let known = tree.latest(at: remote), known != proposal.ancestor,
            Self.follows(known, mine, tree)
        else { return nil }
        return known
    }

    /// Whether a peer whose current revision is `theirs` can take ours: it descends from that one,
    /// or the branch of that one was given up here, which the peer is told.
    private static func follows(
        _ theirs: RevisionID,
        _ mine: RevisionID,
        _ tree: RevisionTree
    ) -> Bool {
        tree.isAncestor(theirs, of: mine) || !tree.closedBranch(from: theirs).isEmpty
    }

    /// The pull brought, or recognised, the peer's revision of a document: a refused proposal may
    /// succeed now.
    mutating func pulled(
        _ documentID: DocumentID,
        _ session: inout Session,
        _ checkpointer: inout Checkpointer
    ) throws {
        guard let waiting = awaitingPull.removeValue(forKey: documentID) else {
            return try reconsider(documentID, &session, &checkpointer)
        }
        let change = waiting.change
        guard let tree = try session.store.read({ try $0.soundTree(of: documentID, in: path) }),
            !tree.isConflicted, tree.current?.id == change.revisionID,
            let remote = session.remote, let known = tree.latest(at: remote),
            known != change.revisionID, Self.follows(known, change.revisionID, tree)
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
        _ documentID: DocumentID,
        _ session: inout Session,
        _ checkpointer: inout Checkpointer
    ) throws {
        guard underway[documentID] == nil, let remote = session.remote else { return }
        let found: (ChangeRow, RevisionID)? = try session.store.read { reader in
            guard let tree = try reader.soundTree(of: documentID, in: path), !tree.isConflicted,
                let current = tree.current, let known = tree.latest(at: remote),
                known != current.id, Self.follows(known, current.id, tree),
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
    mutating func reportUnresolved(_ session: inout Session) {
        for proposal in awaitingPull.values {
            session.report(event(proposal.change, .rival))
        }
        awaitingPull = [:]
    }
}

extension StoreReader {
    /// The tree of a document, or `nil` where there is none that can be read.
    fileprivate func soundTree(
        of documentID: DocumentID,
        in path: CollectionPath
    ) throws(StoreError) -> RevisionTree? {
        let result = Result { () throws(StoreError) in try tree(of: documentID, in: path) }
        if case .failure(let error) = result, error.concernsOneDocument { return nil }
        return try result.get()
    }
}
