/// A kind of maintenance for ``Database/performMaintenance(type:)``; all but `optimize` can take long.
public enum MaintenanceType: UInt8, Sendable {
    /// Shrinks the file and deletes blobs that no document references.
    case compact = 0
    /// Rebuilds and verifies all indexes, then does the same as `fullOptimize`.
    case reindex
    /// Verifies the whole database and throws `CBLError.corruptData` if it is damaged.
    case integrityCheck
    /// Updates query statistics that are likely out of date; fast.
    case optimize
    /// Updates all query statistics.
    case fullOptimize
}

/// What a save or delete does if the document was changed since it was read.
public enum ConcurrencyControl: UInt8, Sendable {
    /// Overwrites the current revision.
    case lastWriteWins = 0
    /// Writes nothing and returns `false`.
    case failOnConflict
}
