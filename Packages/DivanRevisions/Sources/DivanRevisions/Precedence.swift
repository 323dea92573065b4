/// The order of two revisions that each lost a conflict against the other.
///
/// Two peers may resolve one conflict differently: on one, `a` lost against `b`; on the other, `b` lost against
/// `a`. When they sync, neither can simply accept the other's result: a third peer with older information could
/// reverse it, and the two revisions would alternate indefinitely. So a peer that closed a revision accepts it
/// again only from a peer that closed its current revision, and only if the current revision is the lower of the
/// two. The order is the default rule for conflicts: a tombstone, then the higher generation, then the greater
/// digest; with version vectors the number of deletions, then the time, then the source. It depends only on the two
/// revisions, is the same on both sides, and never changes.
///
/// **Why this ends.** Let R be the revisions of a document that were made anywhere. For
/// one peer, let n be how many of R it has not settled (they are unknown to it, wait in a conflict, or
/// are current), and r how many of R are above its current one. Whatever changes the current revision
/// without adding to R makes the pair (n, r) decrease lexicographically:
/// - a revision that was unknown, or that waited, becomes current, by a resolver or by following
///   the remote: the previous one is settled, n decreases;
/// - one that was settled becomes current again: n stays, and it is above the previous one, r decreases; or a
///   descendant of the previous one was closed elsewhere, and was unknown here: n decreases.
///
/// A refusal changes nothing here, and makes the refused peer change: the current revision gets a new
/// sequence, is announced, and names what it closed. So after the last edit or merge every peer changes
/// its decision at most |R| · (|R| + 1) times, with a constant number of messages to each neighbour.
///
/// **Why all peers end up equal.** Two neighbours whose revisions differ announce them to each other. One of
/// them does not know the other's, or closed it, or is told that its own was closed; of two that closed each
/// other's, one has the lower and takes the greater; and a peer that is told that its revision was continued
/// and lost then follows. So no peer is at rest before they are equal.
///
/// This requires that no peer sends a revision that it has closed, and that it sends with a revision only branches
/// that were closed for it or its ancestors: otherwise two revisions are compared that were never in conflict, and
/// the greater is kept although it had lost.
///
/// It holds as long as closed branches are remembered: forgetting one (`prune`) makes it unknown,
/// and n increases by one. Merges, and children for peers that accept no closed branches, add to R: this
/// stops only if resolvers give the same result for the same input, whichever side asks.
///
/// Source: decision 0008, `revisions.md` §8.
public struct Precedence: Comparable, Sendable {
    /// How many deletions, one after the other, the revision knows, its own included; at most 1 in a tree.
    public let deletionCount: UInt64
    private let id: RevisionID

    init(_ revision: RevisionTree.Revision) {
        self.init(revision.id, revision.flags)
    }

    init(_ id: RevisionID, _ flags: RevisionFlags) {
        self.init(id, isTombstone: flags.contains(.tombstone))
    }

    /// Creates the position of a revision in the order.
    ///
    /// With version vectors, `deletionCount` is the number of deletions that the revision follows, or is: more of
    /// them win, and at equal numbers the later revision. A tree does not know it.
    public init(_ id: RevisionID, isTombstone: Bool, deletionCount: UInt64 = 0) {
        self.id = id
        self.deletionCount = max(deletionCount, isTombstone ? 1 : 0)
    }

    /// Whether the second revision is preferred to the first.
    public static func < (lower: Precedence, greater: Precedence) -> Bool {
        guard lower.deletionCount == greater.deletionCount else {
            return lower.deletionCount < greater.deletionCount
        }
        // A tree ID may have the name that it was converted to elsewhere.
        guard lower.id.isVersion == greater.id.isVersion else {
            return greater.id.isAbove(lower.id)
        }
        return lower.id < greater.id
    }
}
