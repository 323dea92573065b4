extension RevisionTree {
    /// The latest revision that a remote is known to have: the remote ancestor.
    public func latest(at remote: RemoteID) -> RevisionID? {
        marks.first { $0.remote == remote }.map { revisions[$0.position].id }
    }

    /// Records that a remote has a revision: it accepted or reported it.
    ///
    /// Its body is then kept as the source of deltas and the base of merges. An ancestor of the recorded revision
    /// changes nothing, nor does an unknown revision. If it is the current revision here, a branch in conflict that
    /// the remote had before is removed: it no longer needs to be resolved.
    ///
    /// With `goesBack` an ancestor is also recorded: the remote reports that it is its current revision. It lost
    /// the revisions between, by pruning or because it was restored from an older copy.
    public mutating func markLatest(
        _ id: RevisionID,
        at remote: RemoteID,
        goesBack: Bool = false
    ) {
        guard let position = position(of: id) else { return }
        let previous = marks.first { $0.remote == remote }?.position
        if let previous, isAncestor(position, of: previous), !goesBack { return }
        setMark(of: remote, to: position)
        if let previous, position == currentPosition, !isMarked(previous),
            revisions[previous].flags.contains(.conflict)
        {
            removeBranch(endingAt: previous)
        }
        settle()
    }

    /// Removes the recorded revision of a remote.
    public mutating func forget(_ remote: RemoteID) {
        marks.removeAll { $0.remote == remote }
    }

    /// Moves a remote's mark to a revision that came from it (`revisions.md` §4, step 5).
    ///
    /// If the new revision does not descend from the previous one, the remote has switched
    /// branches. The branch it left is then given up if it is only the remote's: a branch in
    /// conflict is purged, and our current revision, if we have no change of our own on it, is closed, because
    /// other peers may have got it from here.
    ///
    /// A remote that keeps the order names the branch that it gave up. If it does not, it has a new document that was
    /// created independently, for instance after its database was replaced.
    mutating func moveMark(
        of remote: RemoteID,
        to received: Received,
        currentBefore: RevisionID?
    ) {
        let id = received.id
        guard let position = position(of: id) else { return }
        let previous = marks.first { $0.remote == remote }?.position
        guard let previous, previous != position, !isAncestor(previous, of: position) else {
            setMark(of: remote, to: position)
            return
        }
        guard !isAncestor(position, of: previous) else { return }
        setMark(of: remote, to: position)
        let left = revisions[previous]
        let wasCurrent = left.id == currentBefore
        guard wasCurrent || left.flags.contains(.conflict), isLeaf(previous) else { return }
        if wasCurrent, received.keepsOrder, !received.closing.contains(left.id) { return }
        if wasCurrent { clearConflict(from: position) }
        let closes = isMarked(previous) || wasCurrent
        giveUp(left.id, for: id, closes ? try? Self.closing(of: left.id, for: id) : nil)
    }

    /// Points a remote's mark at a revision whose body is kept from now on.
    ///
    /// Older ones in its branch lose theirs unless another remote has them. A branch in conflict
    /// ends where it leaves the other one: the body there is the base of the merge.
    private mutating func setMark(of remote: RemoteID, to position: Int) {
        marks.removeAll { $0.remote == remote }
        marks.append(RemoteMark(remote: remote, position: position))
        marks.sort { $0.remote < $1.remote }
        revisions[position].flags.insert(.keepsBody)
        let isConflict = revisions[position].flags.contains(.conflict)
        let branch = lineage(from: position).dropFirst()
            .prefix { revisions[$0].flags.contains(.conflict) == isConflict }
        for ancestor in branch where !isMarked(ancestor) {
            revisions[ancestor].flags.remove(.keepsBody)
        }
    }
}
