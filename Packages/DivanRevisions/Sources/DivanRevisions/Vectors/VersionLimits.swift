/// Limits on version vectors.
public enum VersionLimits {
    /// Entries of a received vector with its tree IDs: ten times the number that is kept.
    ///
    /// A peer that sends more receives an error.
    public static let receivedCount = 10_000

    /// Previous versions that a vector keeps; the oldest are removed, but never the current and the merged
    /// versions.
    ///
    /// A document that more than 1,000 databases have written keeps the latest 1,000. A peer that has a revision of
    /// a removed writer gets a conflict.
    public static let previousCount = 1_000

    /// Tree IDs that a document keeps from before its first version: the same number as in a branch of a tree.
    public static let legacyCount = RevisionLimits.depth

    /// The number of deletions, one after the other, up to which they count in conflicts.
    public static let deletionCount: UInt64 = 1 << 32
}
