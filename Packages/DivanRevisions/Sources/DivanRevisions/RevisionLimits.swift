/// Bounds on revision trees.
public enum RevisionLimits {
    /// Revisions kept in each branch, the leaf included.
    ///
    /// 50 is what Couchbase Lite keeps since 3.1 and Sync Gateway by default, and what is requested
    /// as `maxHistory` (`revisions.md` §5).
    public static let depth = 50

    /// Closed branches that are kept however far below the current revision they ended.
    public static let rememberedClosingsCount = 8

    /// Leaves of one tree, the current one included.
    ///
    /// A document has one or two; a mesh of peers that disagree about it leaves a closed branch
    /// for each conflict. Without a bound, a peer that repeatedly deletes a document and brings it back
    /// would make each change more expensive than the previous one.
    public static let branchCount = 50

    /// Revisions of one tree: eight branches as long as `depth` allows.
    ///
    /// A tree is read and written whole, so this bounds what one change costs.
    public static let revisionCount = 400

    /// Entries of one `history` that are written or read; further ones are ignored.
    ///
    /// 1,000 is ten times what any known peer keeps. A peer may name any `maxHistory`, and gaps
    /// are filled, so without a bound one jump in generation would fill memory.
    public static let historyCount = 1_000
}
