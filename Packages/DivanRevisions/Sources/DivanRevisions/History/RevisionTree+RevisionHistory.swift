public import DivanCrypto

extension RevisionTree: RevisionHistory {
    init(only revision: HistoryRevision, knownAt remote: RemoteID?) throws(RevisionError) {
        self.init()
        _ = try insertRemote(
            revision.id,
            history: [],
            flags: revision.flags,
            body: revision.body ?? [],
            remote: remote,
            refusesConflicts: false
        )
        assignSequence(revision.sequence)
    }

    init(
        decoding bytes: Span<UInt8>,
        current: HistoryRevision
    ) throws(RevisionError) {
        try self.init(
            decoding: bytes,
            currentID: current.id,
            currentSequence: current.sequence,
            currentBody: current.body
        )
    }

    /// All revisions whose body is kept.
    public var revisionsWithBody: [HistoryRevision] { revisions.filter { $0.body != nil } }

    /// Whether there is one revision that no remote is known to have.
    public var isSingle: Bool {
        revisions.count == 1 && revisions[0].flags.isSubset(of: [.tombstone, .hasBlobs])
    }

    /// Whether there is more than one leaf, including closed ones.
    public var isBranched: Bool { leaves.count > 1 }

    /// The revision and its ancestors, separated by commas.
    public func text(of id: RevisionID) -> String {
        names(behind: id).map(\.description).joined(separator: ",")
    }

    /// The place of a revision in the order in which conflicts are decided.
    public func precedence(of id: RevisionID) -> Precedence? {
        self[id].map { Precedence($0) }
    }

    /// The revision and its ancestors.
    public func names(behind id: RevisionID) -> [RevisionID] { lineage(of: id).map(\.id) }

    /// The answer to an announced revision.
    public func standing(
        ofAnnounced id: RevisionID,
        at remote: RemoteID?,
        keepsOrder: Bool
    ) -> AnnouncedRevisionStatus {
        guard let current else { return .wanted(ancestors: []) }
        let isGivenUp =
            keepsOrder ? isGivenUp(id) : isClosed(id) || hasGoneBack(to: id, at: remote)
        if contains(id), remote == nil || !isGivenUp {
            return .known(
                isMarked: remote.map { latest(at: $0) == id } ?? true,
                isCurrent: current.id == id
            )
        }
        if remote == nil, id.generation <= current.id.generation { return .conflict }
        // A remote that had our current revision says whether it gave it up (`moveMark`).
        let hadCurrent = keepsOrder && remote.flatMap { latest(at: $0) } == current.id
        return .wanted(
            ancestors: possibleAncestors(of: id),
            rival: contains(id) || hadCurrent ? current.id : nil
        )
    }

    /// Older revisions whose bodies are kept, as possible sources of a delta.
    private func possibleAncestors(of id: RevisionID) -> [RevisionID] {
        var ancestors: [RevisionID] = []
        for leaf in leaves {
            for revision in lineage(of: leaf.id)
            where revision.id.generation < id.generation
                && (revision.body != nil || revision.id == current?.id)
                && !ancestors.contains(revision.id)
            {
                ancestors.append(revision.id)
            }
        }
        return ancestors
    }

    /// The ancestors to send with a revision.
    public func ancestry(
        of id: RevisionID,
        limit: Int,
        until known: [RevisionID],
        takesTreeIDs: Bool,
        random: any RandomSource
    ) -> RevisionAncestry {
        RevisionAncestry(history(of: id, limit: limit, until: Set(known), random: random))
    }

    /// Adds a local revision, with an ID from the digest of its content.
    public mutating func save(
        _ edit: LocalEdit,
        by author: inout RevisionAuthor
    ) throws(RevisionError) -> HistoryOutcome {
        try insertLocal(
            try RevisionID.digesting(
                parent: edit.parent,
                isTombstone: edit.isTombstone,
                canonicalBody: edit.body.span,
                blinding: author.blinding
            ),
            parent: edit.parent,
            isTombstone: edit.isTombstone,
            hasBlobs: edit.hasBlobs,
            body: edit.body,
            retaining: edit.retention
        )
    }

    /// Adds a revision from a peer.
    public mutating func insert(
        _ received: ReceivedRevision,
        by author: inout RevisionAuthor
    ) throws(RevisionError) -> HistoryOutcome {
        try insertRemote(
            received.id,
            history: received.ancestry.ids,
            flags: received.flags,
            body: received.body,
            remote: received.remote,
            refusesConflicts: received.refusesConflicts,
            closing: received.closing,
            keepsOrder: received.keepsOrder,
            isOutdated: received.isOutdated,
            retaining: received.retention
        )
    }

    /// Resolves a conflict as `resolve(local:remote:as:closesRemote:)` does.
    public mutating func end(
        _ conflict: (local: RevisionID, remote: RevisionID),
        as decision: HistoryDecision,
        closesRemote: Bool,
        by author: inout RevisionAuthor
    ) throws(RevisionError) -> RevisionID {
        try resolve(
            local: conflict.local,
            remote: conflict.remote,
            as: decision,
            closesRemote: closesRemote,
            blinding: author.blinding
        )
    }
}
