public import DivanCrypto
public import DivanRevisions

/// What to do about a revision that a peer announced.
public enum IncomingDecision: Equatable, Sendable {
    /// It exists locally; also whether the remote is already known to have it, and whether it is the current
    /// revision.
    case known(isMarked: Bool, isCurrent: Bool)
    /// It is missing.
    ///
    /// `ancestors` are local revisions of the document with bodies, the current revision first. With a `rival`, it
    /// existed locally before, and lost to `rival` or one of its ancestors.
    case wanted(ancestors: [RevisionID], rival: RevisionID? = nil)
    /// It is missing, and its generation is not greater than that of the current revision; only if conflicts are
    /// not allowed, that is, without a remote.
    case conflict
}

/// The answer to a revision that a peer proposes to push.
public enum ProposalVerdict: Equatable, Sendable {
    /// It may be sent.
    case accept
    /// It is the current revision.
    case known
    /// The document has another current revision.
    case conflict(current: RevisionID)
}

// MARK: Questions of a replicator, a batch at a time

extension StoreReader {
    /// At most `limit` changes after `sequence`, ascending; each document once, with its current revision and the
    /// latest revision that `remote` is known to have.
    ///
    /// An unreadable document is skipped, so that it does not stop the feed: fewer than `limit` changes means these
    /// are the last.
    public func changes(
        in collection: CollectionPath,
        after sequence: UInt64,
        limit: Int,
        remote: RemoteID? = nil
    ) throws(StoreError) -> [ChangeRow] {
        var damaged: [DamagedChange] = []
        return try changes(
            in: collection,
            after: sequence,
            limit: limit,
            remote: remote,
            noting: &damaged
        )
    }

    /// The same; skipped documents are added to `damaged`.
    public func changes(
        in collection: CollectionPath,
        after sequence: UInt64,
        limit: Int,
        remote: RemoteID? = nil,
        noting damaged: inout [DamagedChange]
    ) throws(StoreError) -> [ChangeRow] {
        let collection = try self.collection(collection)
        let rows = try current().changes(
            in: collection.id,
            after: sequence,
            limit: limit,
            content: .summary,
            noting: &damaged
        )
        let feedEnd = remote == nil ? 0 : try state(of: collection).lastSequence
        var changes: [ChangeRow] = []
        changes.reserveCapacity(rows.count)
        for row in rows {
            let ancestor = try knownAncestor(of: row, at: remote, in: collection)
            changes.append(ChangeRow(row, remoteAncestor: ancestor, feedEnd: feedEnd))
        }
        return changes
    }

    /// If a document's tree is damaged, `nil`: sending it will fail, and report why.
    private func knownAncestor(
        of row: DocumentRow,
        at remote: RemoteID?,
        in collection: OpenCollection
    ) throws(StoreError) -> RevisionID? {
        do throws(StoreError) {
            return try ancestor(of: row, at: remote, in: collection)
        } catch  where error.concernsOneDocument {
            return nil
        }
    }

    /// The latest change of a document; `nil` if it is missing or damaged.
    public func change(
        of documentID: DocumentID,
        in collection: CollectionPath
    ) throws(StoreError) -> ChangeRow? {
        let id = try self.collection(collection).id
        do throws(StoreError) {
            let row = try current().row(documentID, in: id, content: .summary)
            return row.map { ChangeRow($0, remoteAncestor: nil, feedEnd: 0) }
        } catch  where error.concernsOneDocument {
            return nil
        }
    }

    /// Decides which announced revisions to request; one decision for each, in order.
    ///
    /// With a `remote`, all unknown revisions are requested, even those that will cause a conflict; without a
    /// remote, conflicts are not allowed. From a remote that `keepsOrder`, revisions that lost locally are
    /// requested too: they are sent with the revisions that lost on the remote. Source: `replication.md` §3.
    public func decide(
        _ announced: [(documentID: DocumentID, revisionID: RevisionID)],
        in collection: CollectionPath,
        remote: RemoteID?,
        keepsOrder: Bool = false
    ) throws(StoreError) -> [IncomingDecision] {
        let collection = try self.collection(collection)
        let rows = try summaries(of: announced.map(\.documentID), in: collection)
        var decisions: [IncomingDecision] = []
        decisions.reserveCapacity(announced.count)
        for (documentID, revisionID) in announced {
            guard !rows.isEmpty, let row = rows[documentID] else {
                decisions.append(.wanted(ancestors: []))
                continue
            }
            do throws(StoreError) {
                decisions.append(
                    try decide(
                        revisionID,
                        on: row,
                        in: collection,
                        remote: remote,
                        keepsOrder: keepsOrder
                    )
                )
            } catch  where error.concernsOneDocument {
                // Damaged: storing it will fail, and report why.
                decisions.append(.wanted(ancestors: []))
            }
        }
        return decisions
    }

    /// The rows of those documents that exist, without bodies; a damaged one is left out: storing
    /// it will fail, and report why.
    private func summaries(
        of documentIDs: [DocumentID],
        in collection: OpenCollection
    ) throws(StoreError) -> [DocumentID: DocumentRow] {
        let rows = try current().summaries(of: documentIDs, in: collection.id)
        return Dictionary(rows.map { ($0.documentID, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private func decide(
        _ revisionID: RevisionID,
        on row: DocumentRow,
        in collection: OpenCollection,
        remote: RemoteID?,
        keepsOrder: Bool
    ) throws(StoreError) -> IncomingDecision {
        if scheme == .trees, row.tree.isSingle {
            if row.revisionID == revisionID {
                let known = try ancestor(of: row, at: remote, in: collection)
                return .known(isMarked: remote == nil || known != nil, isCurrent: true)
            }
            guard row.revisionID.generation < revisionID.generation else {
                guard remote != nil else { return .conflict }
                return .wanted(ancestors: [], rival: keepsOrder ? row.revisionID : nil)
            }
            return .wanted(ancestors: [row.revisionID])
        }
        let history = try outline(of: row, in: collection)
        switch history.standing(ofAnnounced: revisionID, at: remote, keepsOrder: keepsOrder) {
        case .known(let isMarked, let isCurrent):
            return .known(isMarked: isMarked, isCurrent: isCurrent)
        case .wanted(let ancestors, let rival):
            let named = ancestors.prefix(StoreLimits.possibleAncestorCount)
            return .wanted(ancestors: Array(named), rival: rival)
        case .conflict:
            return .conflict
        }
    }

    /// Answers proposed revisions; one verdict for each, in order.
    ///
    /// Only the current revision is compared. Source: `revisions.md` §7.
    public func evaluate(
        _ proposals: [(documentID: DocumentID, revisionID: RevisionID, parent: RevisionID?)],
        in collection: CollectionPath
    ) throws(StoreError) -> [ProposalVerdict] {
        let collection = try self.collection(collection)
        let rows = try summaries(of: proposals.map(\.documentID), in: collection)
        var verdicts: [ProposalVerdict] = []
        verdicts.reserveCapacity(proposals.count)
        for proposal in proposals {
            guard !rows.isEmpty, let row = rows[proposal.documentID] else {
                verdicts.append(.accept)
                continue
            }
            let standing = scheme.standing(
                ofProposed: proposal.revisionID,
                after: proposal.parent,
                on: row.revisionID,
                isTombstone: row.flags.contains(.tombstone)
            )
            switch standing {
            case .known: verdicts.append(.known)
            case .accept: verdicts.append(.accept)
            case .conflict: verdicts.append(.conflict(current: row.revisionID))
            }
        }
        return verdicts
    }

    /// Ancestors of a revision, newest first, for the `history` of a message: at most `limit`, up to the first that
    /// the peer is `known` to have.
    ///
    /// The limit includes the revision itself, so one less is returned. Gaps left by pruning are filled with random
    /// IDs from `random`. Empty if the revision is not in the tree. Source: `revisions.md` §6.
    public func history(
        of documentID: DocumentID,
        _ revisionID: RevisionID,
        in collection: CollectionPath,
        limit: Int,
        known: Set<RevisionID>,
        random: any RandomSource = SystemRandomSource()
    ) throws(StoreError) -> [RevisionID] {
        try ancestry(
            of: documentID,
            revisionID,
            in: collection,
            limit: limit,
            known: Array(known),
            random: random
        ).ids
    }

    /// The ancestry of a revision, for the message that carries it.
    ///
    /// Like `history(of:_:in:limit:known:random:)`, in the form of the database's scheme; a peer
    /// that `takesTreeIDs` gets all tree IDs behind a vector.
    public func ancestry(
        of documentID: DocumentID,
        _ revisionID: RevisionID,
        in collection: CollectionPath,
        limit: Int,
        known: [RevisionID],
        takesTreeIDs: Bool = false,
        random: any RandomSource = SystemRandomSource()
    ) throws(StoreError) -> RevisionAncestry {
        let collection = try self.collection(collection)
        guard let row = try row(documentID, in: collection.id), !row.tree.isSingle else {
            return RevisionAncestry()
        }
        return try outline(of: row, in: collection).ancestry(
            of: revisionID,
            limit: limit,
            until: known,
            takesTreeIDs: takesTreeIDs,
            random: random
        )
    }

    /// Whether a revision lost: the current revision is neither `revisionID` nor a descendant of it.
    public func isGivenUp(
        _ revisionID: RevisionID,
        documentID: DocumentID,
        in collection: CollectionPath
    ) throws(StoreError) -> Bool {
        let collection = try self.collection(collection)
        guard let row = try row(documentID, in: collection.id), row.revisionID != revisionID else {
            return false
        }
        if scheme == .trees, row.tree.isSingle { return true }
        let history = try outline(of: row, in: collection)
        return !history.isAncestor(revisionID, of: row.revisionID)
    }

    /// Whether `revisionID` descends from `ancestor`; a revision does not descend from itself.
    public func isAncestor(
        _ ancestor: RevisionID,
        of revisionID: RevisionID,
        documentID: DocumentID,
        in collection: CollectionPath
    ) throws(StoreError) -> Bool {
        let collection = try self.collection(collection)
        guard let row = try row(documentID, in: collection.id) else { return false }
        return try outline(of: row, in: collection).isAncestor(ancestor, of: revisionID)
    }

    /// The closed branch of a revision that is not an ancestor of the current revision: the tombstone at its end
    /// first, the revision itself last; empty if there is none.
    public func closedBranch(
        from revisionID: RevisionID,
        documentID: DocumentID,
        in collection: CollectionPath
    ) throws(StoreError) -> [RevisionID] {
        let collection = try self.collection(collection)
        guard let row = try row(documentID, in: collection.id) else { return [] }
        return try outline(of: row, in: collection).closedBranch(from: revisionID)
    }

    /// The latest revision of a document that a remote is known to have.
    public func remoteAncestor(
        of documentID: DocumentID,
        at remote: RemoteID,
        in collection: CollectionPath
    ) throws(StoreError) -> RevisionID? {
        let collection = try self.collection(collection)
        guard let row = try row(documentID, in: collection.id) else { return nil }
        return try ancestor(of: row, at: remote, in: collection)
    }
}

extension ChangeRow {
    fileprivate init(_ row: DocumentRow, remoteAncestor: RevisionID?, feedEnd: UInt64) {
        self.init(
            sequence: row.sequence,
            documentID: row.documentID,
            revisionID: row.revisionID,
            flags: row.flags,
            remoteAncestor: remoteAncestor,
            bodyByteCount: row.bodyByteCount,
            isFirst: row.tree.isSingle,
            feedEnd: feedEnd
        )
    }
}
