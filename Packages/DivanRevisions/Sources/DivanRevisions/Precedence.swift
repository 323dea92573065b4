/// The order that decides between two revisions of which each was given up for the other.
///
/// Two peers may decide differently about one conflict: here `a` lost to `b`, there `b` to `a`. When
/// they meet, neither can follow the other: whoever follows is followed back by a third that heard
/// less, and the two revisions change places for ever. So a peer that gave up a revision takes it
/// again only from somebody who gave up its current one, and only if that is the lower of the two.
/// The order is the default rule for conflicts: a tombstone, then the higher generation, then the
/// greater digest. It asks nobody, knows no side of its own, and never changes.
///
/// **Why this ends.** Let R be the revisions of a document that were made anywhere, and look at
/// one peer: n = how many of R it has not done with (they are unknown to it, wait in a conflict, or
/// are current), r = how many of R are above its current one. Whatever changes the current revision
/// without adding to R makes the pair (n, r) fall, compared from the left:
/// - a revision that was not known, or that waited, becomes current, by a resolver or by following
///   the remote: the one before is done with, n falls;
/// - one that was done with becomes current again: n stays, and it is above the one before, r falls;
///   or what descends from the one before was given up elsewhere, and not known here: n falls.
///
/// A refusal changes nothing, and makes the refused one change: the current revision gets a new
/// sequence, is told, and names what it closed. So after the last edit or merge every peer changes
/// its mind at most |R| · (|R| + 1) times, with a constant number of messages to each neighbour.
///
/// **Why it ends alike.** Two neighbours whose revisions differ tell each other. One of them does not
/// know the other's, or closed it, or is told that its own was closed; of two that closed each other's,
/// one has the lower and takes the greater; and who is told that his went on and lost then follows. So
/// nobody is at rest before they are equal.
///
/// It needs that nobody sends what he has given up, and names with a revision only what was closed for it
/// or for what it descends from: else two revisions meet that nobody has weighed against each other, and the
/// greater stays although it had lost.
///
/// This holds as long as closed branches are remembered: forgetting one (`prune`) makes it unknown,
/// and n rises by one. Merges, and children for peers that take no closed branches, add to R: only
/// resolvers that make the same of the same, whichever side asks, stop doing so.
///
/// Source: decision 0010, `revisions.md` §8.
public struct Precedence: Comparable, Sendable {
    private let isTombstone: Bool
    private let id: RevisionID

    init(_ revision: RevisionTree.Revision) {
        self.init(revision.id, revision.flags)
    }

    init(_ id: RevisionID, _ flags: RevisionFlags) {
        self.init(id, isTombstone: flags.contains(.tombstone))
    }

    /// The place of a revision in the order.
    public init(_ id: RevisionID, isTombstone: Bool) {
        self.id = id
        self.isTombstone = isTombstone
    }

    /// Whether the first gives way to the second.
    public static func < (lower: Precedence, greater: Precedence) -> Bool {
        guard lower.isTombstone == greater.isTombstone else { return greater.isTombstone }
        return lower.id < greater.id
    }
}
