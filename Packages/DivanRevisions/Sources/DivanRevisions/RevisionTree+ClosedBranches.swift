// Branches that lost a conflict. One that a peer may still hold is not purged but closed with a
// tombstone, so that the peer can be told, and is understood when it names the branch (`revisions.md` §8).
extension RevisionTree {
    /// The tombstone that closes one branch in favour of another.
    ///
    /// Its digest includes the winner, so that it differs from the tombstone of a deletion: a peer with that
    /// tombstone requires the deletion of the document.
    public static func closing(
        of loser: RevisionID,
        for winner: RevisionID
    ) throws(RevisionError) -> Revision {
        let id = try RevisionID.digesting(
            parent: loser,
            isTombstone: true,
            canonicalBody: Array("\"\(winner)\"".utf8).span
        )
        return Revision(id: id, flags: [.tombstone, .closed], body: Array("{}".utf8))
    }

    /// The closed branch that starts at a revision that is not an ancestor of the current one: the tombstone at its
    /// end first, the revision itself last; empty if there is none.
    ///
    /// Source: `revisions.md` §8 (`deleted_branch`).
    public func closedBranch(from id: RevisionID) -> [RevisionID] {
        guard let start = position(of: id), let current = currentPosition,
            !isAncestor(start, of: current)
        else { return [] }
        for leaf in leafPositions
        where revisions[leaf].flags.isSuperset(of: [.closed, .tombstone]) {
            let branch = lineage(from: leaf)
            guard let end = branch.firstIndex(of: start) else { continue }
            return branch[...end].map { revisions[$0].id }
        }
        return []
    }

    /// The revisions of all closed branches from which the current one does not descend, those that
    /// ended last first.
    var closedBranches: [RevisionID] {
        guard let current = currentPosition else { return [] }
        let ends = leafPositions.filter {
            revisions[$0].flags.isSuperset(of: [.closed, .tombstone])
        }
        var seen = Set(lineage(from: current))
        return ends.flatMap { lineage(from: $0) }.filter { seen.insert($0).inserted }
            .map { revisions[$0].id }
    }

    /// Whether a revision lost a conflict here and is followed only by the closing tombstone, or is a closed
    /// tombstone itself.
    ///
    /// A peer that announces such a revision still has it, or has it again.
    public func isClosed(_ id: RevisionID) -> Bool {
        guard let position = position(of: id) else { return false }
        let closing = closingPositions(of: position)
        return !closing.isEmpty && !closing.contains { $0 == currentPosition }
            || isClosedBeside(position)
    }

    /// Whether a revision's branch lost a conflict here: neither it nor any of its descendants is current.
    public func isGivenUp(_ id: RevisionID) -> Bool {
        contains(id) && !closedBranch(from: id).isEmpty
    }

    /// Whether a remote that names a revision has gone back to it: here something was made from it and lost, and the
    /// remote had a different branch since.
    func hasGoneBack(to id: RevisionID, at remote: RemoteID?) -> Bool {
        guard let remote, isGivenUp(id), let start = position(of: id) else { return false }
        if let latest = latest(at: remote), latest == id || isAncestor(id, of: latest) {
            return false
        }
        return leafPositions.allSatisfy {
            !isAncestor(start, of: $0) || revisions[$0].flags.contains(.closed)
        }
    }

    /// Adds the content of the current revision as a child of a revision that lost against it, for a peer that
    /// still has that revision and accepts only its descendants.
    ///
    /// - Returns: The new current revision; `nil` if the other revision does not exist, did not lose, or is
    ///   already an ancestor.
    /// - Throws: `bodyMissing`, `generationOverflow`; the tree is then unchanged.
    ///
    /// Source: `revisions.md` §8.
    public mutating func graftCurrent(
        onto loser: RevisionID,
        blinding: [UInt8] = []
    ) throws(RevisionError) -> RevisionID? {
        guard let current, !closedBranch(from: loser).isEmpty else { return nil }
        guard let body = current.body else { throw .bodyMissing(current.id) }
        let flags = current.flags.intersection([.tombstone, .hasBlobs])
        let grafted = try Self.child(of: loser, flags: flags, body: body, blinding)
        let closing = try Self.closing(of: current.id, for: grafted.id)
        if let earlier = position(of: grafted.id) {
            // It was made before, and lost to the current one for another peer's sake.
            guard isClosed(grafted.id) else { return nil }
            reopen(earlier, flags, body: body)
            giveUp(current.id, for: grafted.id, closing)
        } else {
            giveUp(current.id, for: loser, closing)
            _ = add([grafted], onto: position(of: loser))
        }
        settle()
        prune()
        return grafted.id
    }

    /// Replaces the current revision with a revision that lost a conflict here, because at a remote it won: the
    /// remote rejected the current revision although it received the closed branch.
    ///
    /// - Returns: Whether it is current now; false if it did not lose, is not above the current one in the order,
    ///   or its body is not kept; then the remote must send it.
    /// - Throws: `generationOverflow`; the tree is then unchanged.
    ///
    /// Source: `Precedence`.
    public mutating func takeBack(
        _ id: RevisionID,
        from remote: RemoteID
    ) throws(RevisionError) -> Bool {
        guard isClosed(id), let current, let revision = self[id], let body = revision.body,
            Precedence(current) < Precedence(revision)
        else { return false }
        giveUp(current.id, for: id, try Self.closing(of: current.id, for: id))
        guard let position = position(of: id) else { return false }
        reopen(position, revision.flags.intersection([.tombstone, .hasBlobs]), body: body)
        markLatest(id, at: remote)
        settle()
        prune()
        return true
    }

    /// Ends a branch in favour of another: closes it with a tombstone, or purges it.
    mutating func giveUp(_ loser: RevisionID, for winner: RevisionID, _ closing: Revision?) {
        guard let end = position(of: loser), let start = position(of: winner) else { return }
        let shared = Set(lineage(from: start))
        for position in lineage(from: end).prefix(while: { !shared.contains($0) }) {
            revisions[position].flags.remove(.conflict)
        }
        guard let closing else { return removeBranch(endingAt: end) }
        guard !revisions[end].flags.contains(.closed), !contains(closing.id) else { return }
        _ = add([closing], onto: end)
    }

    /// Makes a closed revision a leaf again.
    ///
    /// The peer that told us of the branch named only the ID: flags and body arrive now.
    mutating func reopen(_ position: Int, _ flags: RevisionFlags, body: [UInt8]) {
        revisions[position].body = body
        revisions[position].sequence = 0
        revisions[position].flags.formUnion(flags)
        revisions[position].flags.remove(.closed)
        remove(Set(closingPositions(of: position)))
    }

    /// Removes closed branches so old that no peer continues them, unless a remote has one.
    ///
    /// The last ones stay however old they look: two revisions far apart in generation may each
    /// have been given up for the other, and a peer that forgets this never comes to rest (`Precedence`).
    mutating func pruneClosedBranches(depth: Int) {
        guard let current, current.id.generation > UInt64(depth) else { return }
        let oldest = current.id.generation - UInt64(depth)
        let old = leaves.filter { leaf in
            leaf.flags.isSuperset(of: [.closed, .tombstone]) && leaf.id.generation < oldest
                && !isDeletion(leaf)
        }
        // A new revision has no sequence yet.
        let byAge = old.sorted { $0.sequence &- 1 < $1.sequence &- 1 }
        for leaf in byAge.dropLast(RevisionLimits.rememberedClosingsCount) {
            guard let end = position(of: leaf.id), let main = currentPosition else { continue }
            let shared = Set(lineage(from: main))
            let branch = lineage(from: end).filter { !shared.contains($0) }
            if !branch.contains(where: isMarked) { removeBranch(endingAt: end) }
        }
    }

    /// Whether this tombstone deleted the document: peers that have it may still connect.
    private func isDeletion(_ leaf: Revision) -> Bool {
        let parent = leaf.parent.map { revisions[$0].id }
        let body = Array("{}".utf8)
        let digested = try? RevisionID.digesting(
            parent: parent,
            isTombstone: true,
            canonicalBody: body.span
        )
        return leaf.id == digested
    }

    /// The tombstones that close a revision; none when it has another child, or did not lose.
    private func closingPositions(of position: Int) -> [Int] {
        let children = revisions.indices.filter { revisions[$0].parent == position }
        return children.allSatisfy {
            revisions[$0].flags.isSuperset(of: [.closed, .tombstone]) && isLeaf($0)
        } ? children : []
    }
}
