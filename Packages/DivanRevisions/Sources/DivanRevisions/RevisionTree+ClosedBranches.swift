// Branches that lost a conflict. One that somebody may still hold is not purged but closed with a
// tombstone, so that the holder can be told, and is understood when he names it (`revisions.md` §8).
extension RevisionTree {
    /// The tombstone that ends one branch for another.
    ///
    /// Its digest names the winner, so that it is not the tombstone which a deletion makes: a peer
    /// that has that one wants the document to be gone.
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

    /// The closed branch that hangs on a revision which the current one does not descend from: the
    /// tombstone at its end first, the revision itself last; empty when there is none.
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

    /// The revisions of all closed branches that the current one does not descend from, those that
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

    /// Whether a revision lost here and nothing but the closing tombstone came after it, or it is
    /// a closed tombstone itself.
    ///
    /// A peer that announces such a one holds it still, or again.
    public func isClosed(_ id: RevisionID) -> Bool {
        guard let position = position(of: id) else { return false }
        let closing = closingPositions(of: position)
        return !closing.isEmpty && !closing.contains { $0 == currentPosition }
            || isClosedBeside(position)
    }

    /// Whether the branch that a revision stands in lost here: it is not current, nor is anything
    /// that descends from it.
    public func isGivenUp(_ id: RevisionID) -> Bool {
        contains(id) && !closedBranch(from: id).isEmpty
    }

    /// Lets the current revision go on as a child of one that lost against it, for a peer that still
    /// has that one and can be told nothing but what descends from it.
    ///
    /// - Returns: The new current revision; `nil` when nothing is to be done, because that one is
    ///   not here, did not lose, or is an ancestor already.
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
        guard !contains(grafted.id) else { return nil }
        giveUp(current.id, for: loser, try Self.closing(of: current.id, for: grafted.id))
        _ = add([grafted], onto: position(of: loser))
        settle()
        prune()
        return grafted.id
    }

    /// Takes a revision that was given up here in the place of the current one, because a remote holds
    /// it and gave up ours: it refused that one although it was told what we closed.
    ///
    /// - Returns: Whether it is current now; not when it was not given up, does not precede the current
    ///   one, or its body is not kept: then it must come from the remote.
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

    /// Ends a branch in favour of another: with a tombstone that closes it, or purges it.
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
    /// Who told us of the branch named no more than the ID: flags and body come now.
    mutating func reopen(_ position: Int, _ flags: RevisionFlags, body: [UInt8]) {
        revisions[position].body = body
        revisions[position].sequence = 0
        revisions[position].flags.formUnion(flags)
        revisions[position].flags.remove(.closed)
        remove(Set(closingPositions(of: position)))
    }

    /// Removes closed branches so old that no peer goes on from them, unless a remote has one.
    ///
    /// The last ones stay however old they look: of two revisions far apart in generation each may
    /// have been given up for the other, and who forgets that never rests (`Precedence`).
    mutating func pruneClosedBranches(depth: Int) {
        guard let current, current.id.generation > UInt64(depth) else { return }
        let oldest = current.id.generation - UInt64(depth)
        let old = leaves.filter { leaf in
            leaf.flags.isSuperset(of: [.closed, .tombstone]) && leaf.id.generation < oldest
                && !isDeletion(leaf)
        }
        // What is new has no sequence yet.
        let byAge = old.sorted { $0.sequence &- 1 < $1.sequence &- 1 }
        for leaf in byAge.dropLast(RevisionLimits.rememberedClosingsCount) {
            guard let end = position(of: leaf.id), let main = currentPosition else { continue }
            let shared = Set(lineage(from: main))
            let branch = lineage(from: end).filter { !shared.contains($0) }
            if !branch.contains(where: isMarked) { removeBranch(endingAt: end) }
        }
    }

    /// Whether somebody deleted the document with this tombstone: peers that have it may come yet.
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
