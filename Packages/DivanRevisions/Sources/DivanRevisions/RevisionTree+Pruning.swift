extension RevisionTree {
    /// Removes revisions that stand deeper than `depth` below a leaf.
    ///
    /// A leaf has depth 1. A revision goes even if another leaf is nearer to it; its children
    /// move to the next ancestor that stays. Revisions that keep their body stay, so a remote's
    /// latest does. Closed branches that end so far below the current revision go too, unless a
    /// remote has them. Insertions call this by themselves.
    ///
    /// Source: `revisions.md` §5.
    public mutating func prune(depth: Int = RevisionLimits.depth) {
        guard revisions.count > depth else { return }
        var unwanted: Set<Int> = []
        for leaf in leafPositions {
            for position in lineage(from: leaf).dropFirst(max(1, depth))
            where !revisions[position].flags.contains(.keepsBody) && !isMarked(position) {
                unwanted.insert(position)
            }
        }
        remove(unwanted)
        pruneClosedBranches(depth: depth)
    }

    /// Removes a leaf and all ancestors that no other leaf descends from.
    ///
    /// - Throws: `notALeaf`; the tree is then unchanged.
    public mutating func purgeBranch(endingAt id: RevisionID) throws(RevisionError) {
        guard let leaf = position(of: id), isLeaf(leaf) else { throw .notALeaf(id) }
        removeBranch(endingAt: leaf)
        settle()
    }
}
