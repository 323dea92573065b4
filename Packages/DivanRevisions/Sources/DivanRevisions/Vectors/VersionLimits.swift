/// Bounds on version vectors.
public enum VersionLimits {
    /// Entries of a vector with its tree IDs that are read: ten times what is kept.
    ///
    /// A peer that sends more is told so.
    public static let receivedCount = 10_000

    /// Previous versions that a vector keeps; the oldest are dropped, never the current one and those
    /// it merged.
    ///
    /// A document that more than 1,000 databases have written keeps the latest 1,000. A peer that holds a
    /// revision of a writer that was dropped gets a conflict.
    public static let previousCount = 1_000

    /// Tree IDs that a document keeps from before its first version: as many as a branch of a tree.
    public static let legacyCount = RevisionLimits.depth
}
