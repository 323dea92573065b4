import DivanRevisions
import DivanStore

/// The peer's revisions that differ from pushed ones: consults the store about what to do with each.
///
/// Source: `replication.md` §5 (a)–(d).
struct PushConflicts {
    let path: CollectionPath
    /// Whether a pull runs at the same time, which may bring the peer's revision.
    let pulls: Bool
    let connection: Connection

    /// Decides how to handle a conflict, where the peer may have named its revision.
    ///
    /// `canAwait` says whether one more change may wait for the pull.
    func verdict(
        on proposal: Proposal,
        against theirs: RevisionID?,
        canAwait: Bool
    ) throws -> PushedChange.Event {
        let change = proposal.change
        let found: (any RevisionHistory)?
        do {
            found = try connection.store.read { try $0.revisions(of: change.documentID, in: path) }
        } catch let error as StoreError where error.concernsOneDocument {
            return .unreadable(SyncError(storage: error))
        }
        guard let history = found, let current = history.current,
            current.id == change.revisionID, !history.isConflicted
        else { return .overtaken }
        if let ancestor = betterAncestor(than: proposal, theirs, history) {
            return .ancestorFound(ancestor)
        }
        if let grafted = try graft(change, theirs ?? proposal.ancestor, history) { return grafted }
        if try takeBack(theirs, change) { return .tookBack }
        return pulls && canAwait ? .pullMayClear : .nothingHelps
    }

    /// An ancestor with which the proposal may be accepted at once.
    private func betterAncestor(
        than proposal: Proposal,
        _ theirs: RevisionID?,
        _ history: any RevisionHistory
    ) -> RevisionID? {
        guard proposal.attemptCount < PushedChange.maximumAttempts else { return nil }
        let mine = proposal.change.revisionID
        if let theirs, theirs != proposal.ancestor, follows(theirs, mine, history) {
            return theirs
        }
        guard pulls, !history.isConflicted, let remote = connection.remote,
            let known = history.latest(at: remote), known != proposal.ancestor,
            follows(known, mine, history)
        else { return nil }
        return known
    }

    /// Creates a revision that a peer other than Divan can accept, if it has one that was given up here.
    ///
    /// Not if both have the same content: two such peers would endlessly replace each other's revision.
    ///
    /// - Returns: `grafted` if there is one now, which is pushed as its own change.
    private func graft(
        _ change: FeedChange,
        _ theirs: RevisionID?,
        _ history: any RevisionHistory
    ) throws -> PushedChange.Event? {
        guard !connection.peerIsOurs,
            let loser = theirs ?? connection.remote.flatMap({ history.latest(at: $0) }),
            !history.closedBranch(from: loser).isEmpty
        else { return nil }
        if let current = history.current, let known = history[loser], known.body != nil,
            known.body == current.body, known.isTombstone == current.isTombstone
        {
            return .alike
        }
        let isGrafted = try connection.store.write { writer in
            try writer.graftCurrent(of: change.documentID, onto: loser, in: path)
        }
        return isGrafted ? .grafted : nil
    }

    /// Takes back the revision that a Divan peer insists on, if it was given up here and precedes the pushed one
    /// (`RevisionTree`, decision 0008).
    ///
    /// - Returns: Whether it is current now, which is reported; otherwise it must come with the pull.
    private func takeBack(_ theirs: RevisionID?, _ change: FeedChange) throws -> Bool {
        guard pulls, connection.peerKeepsOrder, let theirs, let remote = connection.remote else {
            return false
        }
        let taken = try connection.store.write(origin: connection.origin) { writer in
            try writer.takeBack(theirs, of: change.documentID, from: remote, in: path)
        }
        guard let taken else { return false }
        let flags: SyncFlags = taken.isTombstone ? .deleted : []
        connection.report(DocumentEvent(pulling: change.documentID, in: path, flags: flags, nil))
        return true
    }

    /// Whether a peer that accepted an earlier change of a document can accept this one: not if the earlier one was
    /// purged and the document recreated in between, or if it lost to another.
    func canFollow(_ change: FeedChange, _ theirs: RevisionID) -> Bool {
        let history = try? connection.store.read {
            try $0.revisions(of: change.documentID, in: path)
        }
        return history.map { follows(theirs, change.revisionID, $0) } ?? false
    }

    /// Whether a peer whose current revision is `theirs` can accept ours: ours descends from it, or its branch was
    /// given up here, which the peer is told.
    private func follows(
        _ theirs: RevisionID,
        _ mine: RevisionID,
        _ history: any RevisionHistory
    ) -> Bool {
        history.isAncestor(theirs, of: mine) || !history.closedBranch(from: theirs).isEmpty
    }
}

// MARK: - What the pull brought

extension PushConflicts {
    /// The ancestor with which a change that waited for the pull may be accepted.
    func verdict(afterPulling change: FeedChange) throws -> PushedChange.Event {
        let found = try connection.store.read { try newer(of: change.documentID, $0) }
        guard let found, found.current.id == change.revisionID else { return .pulled }
        return .ancestorFound(found.known)
    }

    /// The change to push for a document on which the peer is behind although it counts as done: it was refused when
    /// the peer had another revision, and may be accepted now.
    func overdue(
        _ documentID: DocumentID,
        in feed: PushFeed,
        after completed: SequenceSet
    ) throws -> Proposal? {
        try connection.store.read { reader in
            guard let (current, known) = try newer(of: documentID, reader), current.sequence > 0,
                completed.contains(current.sequence),
                let row = try reader.changes(
                    in: path,
                    after: current.sequence - 1,
                    limit: 1,
                    remote: connection.remote
                ).first,
                row.documentID == documentID, try feed.passes(overdue: row, reader)
            else { return nil }
            return Proposal(FeedChange(row), from: known)
        }
    }

    /// A document's current revision, and the peer's revision that it can follow.
    private func newer(
        of documentID: DocumentID,
        _ reader: StoreReader
    ) throws -> (current: HistoryRevision, known: RevisionID)? {
        let result = Result { () throws(StoreError) in
            try reader.revisions(of: documentID, in: path)
        }
        if case .failure(let error) = result, error.concernsOneDocument { return nil }
        guard let history = try result.get(), !history.isConflicted,
            let current = history.current, let remote = connection.remote,
            let known = history.latest(at: remote), known != current.id,
            follows(known, current.id, history)
        else { return nil }
        return (current, known)
    }
}
