// Pruning forgets old ancestors, different ones on each peer. A peer's revision may then be taken for a
// rival of its own descendant, and one of the two be given up for the other. A peer that
// remembers the descent says so, with the `history` of the later one; that settles it for good, whatever
// was decided before.
extension RevisionTree {
    /// Makes a revision current that was given up here for its own ancestor, or waits in a
    /// conflict with it.
    ///
    /// The ancestor keeps its body, so that it is not forgotten again before all neighbours have been told.
    ///
    /// - Returns: `nil`, and nothing is changed, unless the history of the received revision names our
    ///   current revision, and the gap that pruning left has room for it.
    mutating func rejoin(_ received: Received) -> InsertOutcome? {
        guard let start = position(of: received.id), let current = currentPosition,
            !received.isOutdated, received.history.contains(revisions[current].id)
        else { return nil }
        let wentOnHere = !isClosed(received.id)
        guard waits(received.id) || isGivenUp(received.id) else { return nil }
        let later = lineage(from: start).prefix { revisions[$0].id > revisions[current].id }
        guard let first = later.last, fits(current, below: first) else { return nil }
        revisions[first].parent = current
        clearConflict(from: start)
        revisions[current].flags.insert(.keepsBody)
        if wentOnHere { removeDescendants(of: received.id) }  // they were given up, and closed
        return takeBack(received)
    }

    /// Puts a branch that was given up here back onto the current revision, which it continues
    /// according to a peer that gave up both.
    ///
    /// - Returns: Whether it is there now; otherwise nothing is changed.
    mutating func join(_ end: Int, toCurrentNamedIn listed: [RevisionID]) -> Bool {
        guard let current = currentPosition, listed.contains(revisions[current].id),
            isGivenUp(revisions[end].id)
        else { return false }
        let later = lineage(from: end).prefix { revisions[$0].id > revisions[current].id }
        guard let first = later.last, fits(current, below: first) else { return false }
        revisions[first].parent = current
        return true
    }

    /// Whether a revision can be placed between another one and its parent.
    private func fits(_ ancestor: Int, below child: Int) -> Bool {
        guard revisions[ancestor].id.generation < revisions[child].id.generation else {
            return false
        }
        return revisions[child].parent.map { isAncestor($0, of: ancestor) } ?? true
    }

    /// Keeps the current revision if the peer gave it up for one of its ancestors: the peer
    /// must be told of ours again, with its history.
    ///
    /// - Returns: `nil`, and nothing is changed, if that is not the case.
    mutating func recall(_ received: Received) -> InsertOutcome? {
        let closing = received.closing
        guard !closing.isEmpty, !received.isOutdated, let current = currentPosition,
            closing.contains(revisions[current].id), let position = position(of: received.id),
            isAncestor(position, of: current)
        else { return nil }
        if let remote = received.remote {
            markLatest(received.id, at: remote, goesBack: true)
        }
        touch()
        return .givenUp
    }
}
