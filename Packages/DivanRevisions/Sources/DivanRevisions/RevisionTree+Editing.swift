extension RevisionTree {
    /// Adds a chain of revisions, oldest first, each the parent of the next.
    ///
    /// - Returns: The position of the newest one.
    mutating func add(_ chain: [Revision], onto parent: Int?) -> Int {
        guard let oldest = chain.first else { return parent ?? 0 }
        if revisions.isEmpty || oldest.id > revisions[0].id { return prepend(chain, onto: parent) }
        var all = revisions
        for (offset, revision) in chain.enumerated() {
            var revision = revision
            revision.parent = offset == 0 ? parent : all.count - 1
            all.append(revision)
        }
        let newest = all.count - 1
        let order = all.indices.sorted { all[$0].id > all[$1].id }
        let places = rearrange(all, into: order)
        return places[newest] ?? 0
    }

    /// Adds a chain whose IDs are all above those in the tree: the common case, without a sort.
    private mutating func prepend(_ chain: [Revision], onto parent: Int?) -> Int {
        let shift = chain.count
        for position in revisions.indices {
            revisions[position].parent = revisions[position].parent.map { $0 + shift }
        }
        for offset in marks.indices { marks[offset].position += shift }
        let added = chain.enumerated().map { offset, revision in
            var revision = revision
            revision.parent = offset == 0 ? parent.map { $0 + shift } : shift - offset
            return revision
        }
        revisions.insert(contentsOf: added.reversed(), at: 0)
        return 0
    }

    /// Removes revisions; their children are attached to the next ancestor that stays, and marks on them
    /// are forgotten.
    mutating func remove(_ unwanted: Set<Int>) {
        guard !unwanted.isEmpty else { return }
        var all = revisions
        // Starts at the roots, so that the parent of an unwanted parent already is one that stays.
        for position in all.indices.reversed() {
            if let parent = all[position].parent, unwanted.contains(parent) {
                all[position].parent = all[parent].parent
            }
        }
        _ = rearrange(all, into: all.indices.filter { !unwanted.contains($0) })
    }

    /// Takes over the revisions at the positions in `order`, and updates all references.
    ///
    /// - Returns: The new position of each old position that stayed.
    private mutating func rearrange(_ all: [Revision], into order: [Int]) -> [Int: Int] {
        let places = Dictionary(uniqueKeysWithValues: zip(order, order.indices))
        revisions = order.map { position in
            var revision = all[position]
            revision.parent = revision.parent.flatMap { places[$0] }
            return revision
        }
        marks = marks.compactMap { mark in
            places[mark.position].map { RemoteMark(remote: mark.remote, position: $0) }
        }
        return places
    }

    /// Removes a leaf and all ancestors that no other leaf descends from; an inner revision stays.
    mutating func removeBranch(endingAt leaf: Int) {
        guard isLeaf(leaf) else { return }
        var others: Set<Int> = []
        for other in leafPositions where other != leaf { others.formUnion(lineage(from: other)) }
        remove(Set(lineage(from: leaf)).subtracting(others))
    }

    /// Makes a revision a leaf.
    ///
    /// Marks on removed revisions are forgotten, and not set back to the leaf: a remote that continues from
    /// there must be told of it, and must not count as up to date.
    mutating func removeDescendants(of id: RevisionID) {
        guard let position = position(of: id) else { return }
        remove(Set(revisions.indices.filter { isAncestor(position, of: $0) }))
    }

    /// Clears the *conflict* mark on a revision and its ancestors.
    mutating func clearConflict(from position: Int) {
        var next: Int? = position
        while let position = next {
            revisions[position].flags.remove(.conflict)
            next = revisions[position].parent
        }
    }

    /// Restores the invariants after a change: the winner is not in conflict (`revisions.md` §4),
    /// and only leaves and revisions that keep it have a body (§5).
    mutating func settle() {
        let leaves = isChain ? Array(revisions.indices.prefix(1)) : leafPositions
        if let winner = leaves.first { clearConflict(from: winner) }
        for position in revisions.indices
        where !revisions[position].flags.contains(.keepsBody) && !leaves.contains(position) {
            revisions[position].body = nil
        }
    }
}
