/// What ``Database/performMaintenance(type:)`` does; all but `optimize` may take long.
public enum MaintenanceType: UInt8, Sendable {
    /// Shrinks the file and deletes blobs that no document refers to.
    case compact = 0
    /// Rebuilds all indexes from the documents, compares them with the documents, and does what `fullOptimize` does.
    case reindex
    /// Reads everything and throws `CBLError.corruptData` on damage.
    case integrityCheck
    /// Refreshes statistics that are likely to be stale; quick.
    case optimize
    /// Refreshes all statistics.
    case fullOptimize
}

/// What a save or delete does when the stored document has changed since this one was read.
public enum ConcurrencyControl: UInt8, Sendable {
    /// Writes on top of the current revision.
    case lastWriteWins = 0
    /// Writes nothing and returns `false`.
    case failOnConflict
}
