/// All known revisions of one document, as a forest.
///
/// A value without storage: the caller loads it, changes it, and writes it back. New revisions have sequence 0 until
/// `assignSequence(_:)`.
///
/// **What it promises.** The current revision depends only on the tree: among the leaves that are not in conflict,
/// live leaves are preferred to tombstones, and tombstones to closed branches; then the higher generation wins, then
/// the greater digest. Two trees with the same revisions and marks are equal. After an insertion the tree contains
/// the revision, or the outcome states the reason; a call that throws has changed nothing. If a peer applies the
/// order of `Precedence`, a closed revision is restored only by that order, so peers that decided differently reach
/// an agreement. No clock or random numbers are used.
///
/// **The states of a leaf.** Readers see the *current* leaf. Another live leaf, or a tombstone that a remote has, is
/// in *conflict* and waits for a resolver (`resolve`); it descends from the point where the branches diverge, and the
/// body of that revision is the base of a merge. A leaf that lost a conflict is *closed*: only a tombstone follows
/// it, whose digest distinguishes it from a deletion. A closed leaf is reopened if a peer adds a child, or sends it
/// again and it is above the current one in the order. A current tombstone means that the document is deleted; a new
/// revision without an ancestor in the tree restores it.
///
/// ```
/// insertLocal   leaf ─→ its child is the leaf
/// insertRemote  leaf ─→ its descendant          no known ancestor ─→ conflict, or rejected
///               closed ─→ reopened, or the current revision is sent to the peer again
/// resolve       conflict ─→ closed or purged, and the other branch continues
/// prune         closed, tombstone, conflict ─→ removed, in this order, the oldest first
/// ```
///
/// **What a remote has** is one mark for each remote, on the latest revision that it is known to have. The mark moves
/// to revisions that the remote sends or accepts; it moves back to an ancestor only if the remote reports this. A
/// marked revision keeps its body, as the source of deltas and the base of merges, and is not pruned.
///
/// **What may be reordered.** Revisions arrive in any order, with gaps in their history and more than once. A
/// revision that is older than a later report of the remote moves no mark. A peer with a longer history can send
/// revisions that were pruned here: `rejoin` and `recall` restore them in their place.
///
/// **What bounds it.** `RevisionLimits`: revisions of a branch, leaves, revisions of a tree, entries of a history. No
/// operation costs more than sorting the tree. Bodies are kept for leaves and for revisions that a remote is known to
/// have; all others are removed.
///
/// **What a crash leaves** is the tree as it was loaded: it is written as a whole, in the transaction of its
/// document.
///
/// Source: `revisions.md` §4–§8.
public struct RevisionTree: Equatable, Sendable {
    /// A revision of the document.
    public typealias Revision = HistoryRevision

    /// The latest revision that a remote is known to have.
    struct RemoteMark: Equatable, Sendable {
        let remote: RemoteID
        var position: Int
    }

    /// All revisions by descending ID: so a child precedes its parent, cycles are impossible, and two trees with
    /// the same revisions are equal.
    public internal(set) var revisions: [Revision] = []
    /// By ascending remote, at most one for each.
    var marks: [RemoteMark] = []

    /// Creates a tree without revisions.
    public init() {}

    /// The winning leaf, which readers of the document see; `nil` only in an empty tree.
    public var current: Revision? { currentPosition.map { revisions[$0] } }

    /// The leaves, the winning one first.
    public var leaves: [Revision] { leafPositions.map { revisions[$0] } }

    /// Whether a second leaf is live, or is a tombstone that is the latest revision of a remote.
    public var isConflicted: Bool {
        guard revisions.count > 1 else { return false }
        let leaves = leafPositions
        guard leaves.count > 1 else { return false }
        return !revisions[leaves[1]].isTombstone || isMarked(leaves[1])
    }

    /// The revision with this ID.
    public subscript(id: RevisionID) -> Revision? { position(of: id).map { revisions[$0] } }

    /// Whether the tree contains this revision.
    public func contains(_ id: RevisionID) -> Bool { position(of: id) != nil }

    /// Whether the tree contains this revision and it has no child.
    public func isLeaf(_ id: RevisionID) -> Bool { position(of: id).map(isLeaf) ?? false }

    /// Whether `ancestor` is an ancestor of `id`.
    public func isAncestor(_ ancestor: RevisionID, of id: RevisionID) -> Bool {
        guard let ancestor = position(of: ancestor), let start = position(of: id) else {
            return false
        }
        return isAncestor(ancestor, of: start)
    }

    /// The revision and its ancestors, newest first; empty if the tree does not contain it.
    public func lineage(of id: RevisionID) -> [Revision] {
        position(of: id).map { lineage(from: $0).map { revisions[$0] } } ?? []
    }

    /// The newest common ancestor of both, which can be one of them; the base of a merge if it has a body.
    public func commonAncestor(of first: RevisionID, and second: RevisionID) -> Revision? {
        guard let first = position(of: first), let second = position(of: second) else {
            return nil
        }
        let ancestors = Set(lineage(from: second))
        return lineage(from: first).first(where: ancestors.contains).map { revisions[$0] }
    }

    /// Replaces the kept bodies of all revisions except the current one, for stores that keep them in another form.
    ///
    /// - Throws: The errors of `transform`; the tree is then partly changed.
    public mutating func transformOldBodies<E: Error>(
        _ transform: ([UInt8]) throws(E) -> [UInt8]
    ) throws(E) {
        let current = currentPosition
        for position in revisions.indices where position != current {
            guard let body = revisions[position].body else { continue }
            revisions[position].body = try transform(body)
        }
    }

    /// Sets the sequence of all new revisions.
    public mutating func assignSequence(_ sequence: UInt64) {
        for position in revisions.indices where revisions[position].sequence == 0 {
            revisions[position].sequence = sequence
        }
    }
}

extension RevisionTree {
    func position(of id: RevisionID) -> Int? {
        var low = 0
        var high = revisions.count
        while low < high {
            let middle = low + (high - low) / 2
            if revisions[middle].id == id { return middle }
            if revisions[middle].id > id { low = middle + 1 } else { high = middle }
        }
        return nil
    }

    func isLeaf(_ position: Int) -> Bool {
        // A child comes before its parent.
        !revisions[..<position].contains { $0.parent == position }
    }

    func isMarked(_ position: Int) -> Bool {
        marks.contains { $0.position == position }
    }

    func isAncestor(_ ancestor: Int, of position: Int) -> Bool {
        lineage(from: position).dropFirst().contains(ancestor)
    }

    /// The position and those of its ancestors.
    func lineage(from position: Int) -> [Int] {
        var lineage: [Int] = []
        var next: Int? = position
        while let position = next {
            lineage.append(position)
            next = revisions[position].parent
        }
        return lineage
    }

    var currentPosition: Int? {
        isChain ? (revisions.isEmpty ? nil : 0) : leafPositions.first
    }

    /// Whether each revision is the parent of the one before it: the common case, with one leaf.
    var isChain: Bool {
        for position in revisions.indices.dropLast()
        where revisions[position].parent != position + 1 {
            return false
        }
        return true
    }

    /// Positions of the leaves in the order of §4: the winner first.
    var leafPositions: [Int] {
        var hasChild = Array(repeating: false, count: revisions.count)
        for revision in revisions {
            if let parent = revision.parent { hasChild[parent] = true }
        }
        return revisions.indices.filter { !hasChild[$0] }
            .sorted { rank(of: $0) < rank(of: $1) }
    }

    /// Sorts unresolved conflicts after all others, then tombstones, then closed branches, then lower IDs.
    private func rank(of position: Int) -> (Int, Int, Int, Int) {
        let flags = revisions[position].flags
        return (
            flags.contains(.conflict) ? 1 : 0,
            flags.contains(.tombstone) ? 1 : 0,
            flags.contains(.closed) ? 1 : 0,
            position
        )
    }
}
