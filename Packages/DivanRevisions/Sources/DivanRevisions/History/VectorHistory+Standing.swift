// How a received revision relates to the current one. The answer depends on what the two revisions say about themselves,
// not on the route or the address by which one of them arrives. Only peers other than Divan, which may forget what a
// revision followed, are also judged by what they had before.
extension VectorHistory {
    /// What to do about a received revision.
    enum ReceivedRevisionStatus {
        /// It replaces the current one.
        case follow
        /// It is the current one.
        case known
        /// It is older than the current one.
        case behind
        /// The current one stays, and counts as changed: both were given up for each other and it is the
        /// greater, or it is a new document, and the peer left out the deletion of the one before.
        case stay
        /// It is in conflict with the current one.
        case wait
    }

    func standing(
        of new: Entry,
        to current: Entry,
        _ received: ReceivedRevision
    ) -> ReceivedRevisionStatus {
        let (theirs, ours) = (new.mixed.vector, current.mixed.vector)
        // Evaluated only where it matters: a revision that follows, as most do, is not compared.
        var isOneMerge: Bool {
            theirs.isRedundantMerge(of: ours) && received.body == current.revision.body
        }
        switch new.mixed.order(to: current.mixed) {
        case .newer: return .follow
        // A revision that merged the same is one with ours, which has seen it since it came first.
        case .older: return isOneMerge ? .known : .behind
        case .same: return .known
        case .conflict where isOneMerge: return .known
        case .conflict: break
        }
        if new.mixed.isCrossed(with: current.mixed) {
            return new.id.isAbove(current.id) ? .follow : .stay
        }
        if hasMovedOn(from: current, to: new, received) { return .follow }
        return wasLeftOut(new, before: current, received) ? .stay : .wait
    }

    /// Whether the remote had our current revision, and has this one now, although the two do not say so.
    ///
    /// Sync Gateway leaves out the past of a tombstone that is in none of the user's channels. A document
    /// that was deleted, and written again without Sync Gateway, has no past either
    /// (`version-vectors.md` §6). A Divan peer sends the past of every revision.
    private func hasMovedOn(
        from current: Entry,
        to new: Entry,
        _ received: ReceivedRevision
    ) -> Bool {
        guard let remote = received.remote, !received.keepsOrder, !received.isOutdated,
            latest(at: remote) == current.id
        else { return false }
        if new.mixed.hasNoPast { return true }
        return new.isUnrelatedRevival(of: current)
    }

    /// Whether this is the deletion of a document that ours is a new one of: Sync Gateway leaves deletions out of a first
    /// pull, and answers a new document under the ID of a deleted one with a conflict that only its tombstone, which
    /// has no past, can end.
    ///
    /// A Divan peer names every deletion, so what does not follow it was made without knowledge of it.
    private func wasLeftOut(
        _ new: Entry,
        before current: Entry,
        _ received: ReceivedRevision
    ) -> Bool {
        guard let remote = received.remote, !received.keepsOrder else { return false }
        return latest(at: remote) == nil && current.isMadeAfter(new)
    }
}

extension VectorHistory.Entry {
    /// Whether this is a new document under the ID of one that had been deleted before: its writers have
    /// nothing to do with the deletion, and the clocks say that the deletion came first.
    ///
    /// An edit of what was deleted has a writer in common with the deletion, even if a later version of that
    /// writer hides the one that both follow; it is in conflict with the deletion. So is a document
    /// that was made before the deletion: who deleted it may have left out that it was seen.
    fileprivate func isMadeAfter(_ other: Self) -> Bool {
        guard other.revision.isTombstone, !revision.isTombstone,
            let ours = id.version, let theirs = other.id.version, ours.time > theirs.time,
            ours.source != .revisionTree, theirs.source != .revisionTree
        else { return false }
        let sources = Set(mixed.vector.versions.lazy.map(\.source))
        return !other.mixed.vector.versions.contains { sources.contains($0.source) }
            && !other.mixed.legacy.contains { mixed.legacy.contains($0) }
    }
}

extension VectorHistory.Entry {
    /// Whether this is live, the other a tombstone, and neither names a revision that the other names.
    fileprivate func isUnrelatedRevival(of other: Self) -> Bool {
        other.revision.isTombstone && !revision.isTombstone
            && Set(mixed.vector.versions).isDisjoint(with: other.mixed.vector.versions)
            && !mixed.legacy.contains { other.mixed.legacy.contains($0) }
    }
}

extension MixedVector {
    /// Whether nothing but the revision itself is named.
    var hasNoPast: Bool { vector.versions.count + legacy.count == 1 }
}
