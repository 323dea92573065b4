public import DivanCrypto

extension VectorHistory: RevisionHistory {
    /// The revision that readers of the document see.
    public var current: HistoryRevision? { entries.first?.revision }

    /// All revisions whose body is kept.
    public var revisionsWithBody: [HistoryRevision] {
        entries.map(\.revision).filter { $0.body != nil }
    }

    /// Whether there is one revision without ancestors, and no remote is known to have it.
    public var isSingle: Bool {
        entries.count == 1 && marks.isEmpty && entries[0].mixed.hasNoPast
    }

    /// Whether a revision waits for a resolver.
    public var isBranched: Bool { isConflicted }

    /// The revision with this ID, if it is current or a remote is known to have it.
    public subscript(id: RevisionID) -> HistoryRevision? {
        position(of: id).map { entries[$0].revision }
    }

    /// The vector, and the tree IDs after it.
    public func text(of id: RevisionID) -> String {
        guard let position = position(of: id) else { return "" }
        var mixed = entries[position].mixed
        mixed.vector = mixed.vector.withoutDeletions
        return mixed.description
    }

    /// The revision, the versions in its vector, and the tree IDs after it.
    public func names(behind id: RevisionID) -> [RevisionID] {
        guard let position = position(of: id) else { return [] }
        let ids = RevisionAncestry(of: entries[position].mixed).ids
        return [id] + ids.filter { $0.version?.source != .deletions }
    }

    /// The older of the two, or a revision that a remote had, if it is an ancestor of both.
    public func commonAncestor(
        of first: RevisionID,
        and second: RevisionID
    ) -> HistoryRevision? {
        guard let first = position(of: first), let second = position(of: second) else { return nil }
        return entries.first {
            entries[first].knows($0.id) && entries[second].knows($0.id) && $0.revision.body != nil
        }?.revision
    }

    /// Whether `id` exists, descends from `ancestor`, and differs from it.
    public func isAncestor(_ ancestor: RevisionID, of id: RevisionID) -> Bool {
        guard ancestor != id, let position = position(of: id) else { return false }
        return entries[position].knows(ancestor)
    }

    /// Always empty: the winner's vector tells a peer that its revision lost.
    public func closedBranch(from id: RevisionID) -> [RevisionID] { [] }

    /// The latest revision that a remote is known to have.
    public func latest(at remote: RemoteID) -> RevisionID? {
        marks.first { $0.remote == remote }.map { entries[$0.position].id }
    }

    /// The answer to an announced revision.
    public func standing(
        ofAnnounced id: RevisionID,
        at remote: RemoteID?,
        keepsOrder: Bool
    ) -> AnnouncedRevisionStatus {
        guard let current = entries.first else { return .wanted(ancestors: []) }
        // A greater one that ours follows may know ours as well, and then stays (`isCrossed`).
        let mayCross = remote != nil && id.isAbove(current.id)
        let isCurrent = current.id.isSame(as: id)
        let waits = position(of: id).map { entries[$0].isConflict } ?? false
        if isCurrent || waits || (current.knows(id) && !mayCross) {
            return .known(
                isMarked: remote.map { latest(at: $0)?.isSame(as: id) ?? false } ?? true,
                isCurrent: isCurrent
            )
        }
        return .wanted(ancestors: held(at: remote))
    }

    /// The revisions that are named as held: the current one, then the one that the remote had, because a
    /// peer may read no more than two.
    private func held(at remote: RemoteID?) -> [RevisionID] {
        var held = entries.filter { $0.revision.body != nil && !$0.revision.isTombstone }.map(\.id)
        let place = held.first == entries.first?.id ? 1 : 0
        if let theirs = remote.flatMap({ latest(at: $0) }),
            let found = held.firstIndex(of: theirs), found > place
        {
            held.insert(held.remove(at: found), at: place)
        }
        return held
    }

    /// The ancestry to send with a revision.
    ///
    /// The vector is followed by the tree IDs that precede the peer's own revision, so that the peer finds its
    /// revision; Couchbase Lite treats any other as a conflict. A Divan peer receives all tree IDs: only they show
    /// the history of a converted tree ID; otherwise each side would consider the other outdated.
    public func ancestry(
        of id: RevisionID,
        limit: Int,
        until known: [RevisionID],
        takesTreeIDs: Bool,
        random: any RandomSource
    ) -> RevisionAncestry {
        guard let position = position(of: id) else { return RevisionAncestry() }
        var mixed = entries[position].mixed
        guard !takesTreeIDs else { return RevisionAncestry(of: mixed) }
        mixed.vector = mixed.vector.withoutDeletions
        if mixed.isLegacy {
            // Down to what the peer named; otherwise one branch, without those that it replaced.
            let end = mixed.legacy.firstIndex { $0 != id && known.contains($0) }
            let count = end.map { $0 + 1 } ?? mixed.legacy.branchCount
            mixed.legacy.removeSubrange(min(count, max(limit, 1))...)
        } else if let held = known.first(where: { !$0.isVersion }) {
            let rest = mixed.legacy.drop { $0 != held }
            mixed.legacy = rest.isEmpty ? mixed.legacy : Array(rest)
        } else if let theirs = known.lazy.compactMap({ self.position(of: $0) }).first {
            mixed.legacy = entries[theirs].mixed.legacy
        }
        return RevisionAncestry(of: mixed)
    }
}
