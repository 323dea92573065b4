extension RevisionTree {
    /// Removes revisions that are deeper than `depth` below a leaf.
    ///
    /// A leaf has depth 1. A revision is removed even if another leaf is nearer to it; its children move to the
    /// next ancestor that is kept. Revisions that keep their body are kept, including the latest revision of each
    /// remote. Closed branches that end more than `depth` below the current revision are also removed, unless a
    /// remote has them, as are branches beyond `RevisionLimits`. Insertions call this method automatically.
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
        pruneBranches()
    }

    /// Removes the least important branches while there are too many of them, or too many
    /// revisions: closed ones before tombstones before conflicts, of each kind the oldest first.
    ///
    /// Neither the current branch nor one that a remote is known to have is removed. A peer that holds a
    /// removed branch gets a conflict when it names it, as with one that was never here.
    private mutating func pruneBranches() {
        guard revisions.count > RevisionLimits.branchCount else { return }
        let leaves = leafPositions
        var excess = (
            branches: leaves.count - RevisionLimits.branchCount,
            revisions: revisions.count - RevisionLimits.revisionCount
        )
        guard excess.branches > 0 || excess.revisions > 0 else { return }
        var childCounts = Array(repeating: 0, count: revisions.count)
        for revision in revisions {
            if let parent = revision.parent { childCounts[parent] += 1 }
        }
        let marked = Set(marks.map(\.position))
        var unwanted: Set<Int> = []
        for leaf in leaves.dropFirst().sorted(by: { worth(of: $0) < worth(of: $1) })
        where excess.branches > 0 || excess.revisions > 0 {
            var branch = [leaf]
            var parent = revisions[leaf].parent
            while let next = parent, childCounts[next] == 1 {
                branch.append(next)
                parent = revisions[next].parent
            }
            guard marked.isDisjoint(with: branch) else { continue }
            unwanted.formUnion(branch)
            if let parent { childCounts[parent] -= 1 }
            excess.branches -= 1
            excess.revisions -= branch.count
        }
        remove(unwanted)
    }

    /// Sorts leaves by what is lost with them, the least first; new ones have no sequence yet.
    private func worth(of leaf: Int) -> (Int, UInt64, Int) {
        let revision = revisions[leaf]
        let kind = revision.flags.contains(.closed) ? 0 : revision.isTombstone ? 1 : 2
        return (kind, revision.sequence == 0 ? .max : revision.sequence, -leaf)
    }

    /// Removes a leaf and its ancestors, except those of other leaves.
    ///
    /// - Throws: `notALeaf`; the tree is then unchanged.
    public mutating func purgeBranch(endingAt id: RevisionID) throws(RevisionError) {
        guard let leaf = position(of: id), isLeaf(leaf) else { throw .notALeaf(id) }
        removeBranch(endingAt: leaf)
        settle()
    }
}
