/// Properties that only Divan peers send; others ignore them, and never send them.
enum DivanProperty {
    /// In the answer to a subscription: how many changes wait for the subscriber, at most.
    ///
    /// This lets it show its progress.
    static let pending = "pending"

    /// Says that the sender keeps to one order of revisions that were given up for each other.
    ///
    /// In an answer to a list it also asks to be told what the other side gave up. It is also sent in the answer to a
    /// subscription, with a revision that closes a branch, and with a pushed revision of a tree that may be new to the
    /// other side: there it must not restore a deleted document that it does not follow.
    static let closings = "closings"

    /// In the first subscription of an empty database, which asks for live documents: deletions are wanted too, unless
    /// the document has a generated ID.
    ///
    /// A document that is created later under the ID of a deleted one then follows the deletion.
    static let deletions = "deletions"

    /// In a subscription: a JSON array of documents to announce even if they precede `since`.
    ///
    /// Their last revision could not be pulled. In the answer: that they will be announced.
    static let again = "again"

    /// In an answer to a list: all tree IDs behind a vector are wanted.
    static let treeIDs = "treeIDs"

    /// Names the revision that is current instead: in the refusal of one that closes a branch, and in the answer to one
    /// over which another has won.
    static let rival = "rev"

    /// In the answer to a pushed revision, or to a list of proposals: the sender's last sequence at that time.
    static let sequence = "sequence"

    /// In the answer to a pushed revision that became one of several branches: the sender has more to report under the
    /// same sequence.
    static let branched = "branched"

    /// With a revision that replaces the announced one: its sequence at the sender.
    static let replacingSequence = "replacingSeq"

    /// The offset in a blob's content at which the answer should begin; in the answer, at which it does.
    static let offset = "offset"
}
