/// Properties that only peers of ours send; others ignore them, and leave them out.
enum OwnProperty {
    /// With the answer to a subscription: how many changes wait for the subscriber, at most.
    ///
    /// It can show how far it is then.
    static let pending = "pending"

    /// Says that the sender keeps to one order of revisions that were given up for each other.
    ///
    /// With an answer to a list it also asks to be told what the other side gave up. It comes with the
    /// answer to a subscription, and with a revision that closes a branch, too.
    static let closings = "closings"

    /// With an answer to a list: all tree IDs that stand behind a vector are wanted.
    static let treeIDs = "treeIDs"

    /// Names the revision that is current instead: in the refusal of one that closes a branch, and in the
    /// answer to one that another has won over.
    static let rival = "rev"

    /// With the answer to a pushed revision, or to a list of proposals: the sender's last sequence then.
    static let sequence = "sequence"

    /// With the answer to a pushed revision that became one of several branches: under the same sequence
    /// the sender has something to tell.
    static let branched = "branched"

    /// With a revision that replaces the announced one: the sender's sequence of it.
    static let replacingSequence = "replacingSeq"

    /// Where in a blob's content the answer shall begin, and in the answer that it does.
    static let offset = "offset"
}
