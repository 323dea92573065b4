/// What ``Database/performMaintenance(type:)`` does; all but `optimize` may take long.
public enum MaintenanceType: UInt8, Sendable {
    /// Shrinks the file and deletes blobs that no document refers to.
    case compact = 0
    /// Makes every index of queries anew from the documents: what to do when `integrityCheck` names
    /// one. Refreshes all statistics, too.
    case reindex
    /// Reads everything and throws `CBLError.corruptData` on damage.
    case integrityCheck
    /// Refreshes statistics where they are likely to be stale; quick.
    case optimize
    /// Refreshes all statistics.
    case fullOptimize
}

/// What a save or delete does when the stored document moved on since this one was read.
public enum ConcurrencyControl: UInt8, Sendable {
    /// Writes on top of the current revision.
    case lastWriteWins = 0
    /// Writes nothing and returns `false`.
    case failOnConflict
}
