/// Limits on revision trees.
public enum RevisionLimits {
    /// Revisions that are kept in each branch, including the leaf.
    ///
    /// 50 is the limit of Couchbase Lite since 3.1 and the default of Sync Gateway; it is also requested as
    /// `maxHistory` (`revisions.md` §5).
    public static let depth = 50

    /// Closed branches that are kept independent of their distance from the current revision.
    public static let rememberedClosingsCount = 8

    /// Leaves of one tree, including the current one.
    ///
    /// A document usually has one or two; each conflict between peers adds a closed branch. Without a limit, a peer
    /// that repeatedly deletes and restores a document would make each change more expensive than the previous one.
    public static let branchCount = 50

    /// Revisions of one tree: eight branches as long as `depth` allows.
    ///
    /// A tree is read and written as a whole, so this limits the cost of a change.
    public static let revisionCount = 400

    /// Entries of one `history` that are written or read; further entries are ignored.
    ///
    /// 1,000 is ten times the number that any known peer keeps. A peer can request any `maxHistory`, and gaps are
    /// filled, so without a limit one large gap between generations would fill the memory.
    public static let historyCount = 1_000
}
