/// All revisions of one document that this peer knows, as a forest.
///
/// A value without storage: the caller loads it, changes it, and writes it back. New revisions
/// have sequence 0 until `assignSequence(_:)`.
///
/// **What it promises.** The current revision depends only on the tree: of the leaves that do not wait in a
/// conflict, live ones come before tombstones, and those before closed branches; then the higher
/// generation wins, then the greater digest. Two trees with the same revisions and marks are equal, however
/// they grew. An offered revision is there afterwards, or the outcome says why not; a call
/// that throws has changed nothing. A revision that was given up comes back, from a peer that applies the
/// order, only by `Precedence`, so neighbours that decided differently come to rest. Nothing uses a clock or
/// randomness.
///
/// **The states of a leaf.** The *current* one is what readers see. Another live one, or a tombstone that
/// some remote has, is in *conflict* and waits for a resolver (`resolve`); it descends from the
/// point where the branches diverge, and the body there is the base of a merge. One that was given up is
/// *closed*: only a tombstone follows it, whose digest distinguishes it from a deletion. A
/// closed one is reopened if a peer continues it, or insists on it and it is above ours. A current tombstone
/// means that the document is deleted; a revision without an ancestor here brings it back.
///
/// ```
/// insertLocal   leaf ─→ its child is the leaf
/// insertRemote  leaf ─→ its descendant          nothing of it known ─→ conflict, or refused
///               closed ─→ open, or touched: the peer is told of ours again
/// resolve       conflict ─→ closed or purged, and the other one goes on
/// prune         closed, tombstone, conflict ─→ gone, in this order, the oldest first
/// ```
///
/// **What a remote has** is one mark for each remote, on the latest revision that it is known to have. It
/// moves to revisions that the remote sends or accepts; never back to an ancestor, unless the
/// remote itself says that it went back. A marked revision keeps its body, as the source of deltas and
/// the base of merges, and is not pruned.
///
/// **What may be reordered.** Revisions arrive in any order, with gaps in their history and more than once.
/// One that is outdated by what the remote said since moves no mark. A peer that remembers more may name
/// revisions that pruning forgot: `rejoin` and `recall` put them back in their place.
///
/// **What bounds it.** `RevisionLimits`: revisions of a branch, leaves, revisions of a tree, entries of a
/// history. Nothing here costs more than sorting the tree. Bodies are kept for leaves and for revisions
/// that a remote is known to have; all others lose theirs.
///
/// **What a crash leaves** is the tree as it was loaded: it is written whole, in the transaction of its
/// document.
///
/// Source: `revisions.md` §4–§8.
public struct RevisionTree: Equatable, Sendable {
    /// One state of the document.
    public typealias Revision = HistoryRevision

    /// The latest revision that a remote is known to have.
    struct RemoteMark: Equatable, Sendable {
        let remote: RemoteID
        var position: Int
    }

    /// All revisions by descending ID: so a child comes before its parent, there can be no cycle, and
    /// two trees with the same revisions are equal however they grew.
    public internal(set) var revisions: [Revision] = []
    /// By ascending remote, at most one for each.
    var marks: [RemoteMark] = []

    /// Creates a tree without revisions.
    public init() {}

    /// The winning leaf, which readers of the document see; `nil` only in an empty tree.
    public var current: Revision? { currentPosition.map { revisions[$0] } }

    /// The leaves, the winning one first.
    public var leaves: [Revision] { leafPositions.map { revisions[$0] } }

    /// Whether a second leaf is live, or a tombstone that is the latest of some remote.
    public var isConflicted: Bool {
        guard revisions.count > 1 else { return false }
        let leaves = leafPositions
        guard leaves.count > 1 else { return false }
        return !revisions[leaves[1]].isTombstone || isMarked(leaves[1])
    }

    /// The revision with this ID.
    public subscript(id: RevisionID) -> Revision? { position(of: id).map { revisions[$0] } }

    /// Whether the tree has this revision.
    public func contains(_ id: RevisionID) -> Bool { position(of: id) != nil }

    /// Whether this revision is there and has no child.
    public func isLeaf(_ id: RevisionID) -> Bool { position(of: id).map(isLeaf) ?? false }

    /// Whether `ancestor` is a parent of `id`, or a parent's parent, and so on.
    public func isAncestor(_ ancestor: RevisionID, of id: RevisionID) -> Bool {
        guard let ancestor = position(of: ancestor), let start = position(of: id) else {
            return false
        }
        return isAncestor(ancestor, of: start)
    }

    /// The revision and its ancestors, newest first; empty when the tree does not have it.
    public func lineage(of id: RevisionID) -> [Revision] {
        position(of: id).map { lineage(from: $0).map { revisions[$0] } } ?? []
    }

    /// The newest revision that both descend from or are; the base of a merge if it has a body.
    public func commonAncestor(of first: RevisionID, and second: RevisionID) -> Revision? {
        guard let first = position(of: first), let second = position(of: second) else {
            return nil
        }
        let ancestors = Set(lineage(from: second))
        return lineage(from: first).first(where: ancestors.contains).map { revisions[$0] }
    }

    /// Replaces the kept bodies of all revisions except the current one: a store may keep them in
    /// another form.
    ///
    /// - Throws: What `transform` throws; the tree is then partly changed.
    public mutating func transformOldBodies<E: Error>(
        _ transform: ([UInt8]) throws(E) -> [UInt8]
    ) throws(E) {
        let current = currentPosition
        for position in revisions.indices where position != current {
            guard let body = revisions[position].body else { continue }
            revisions[position].body = try transform(body)
        }
    }

    /// Gives all new revisions their sequence.
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
