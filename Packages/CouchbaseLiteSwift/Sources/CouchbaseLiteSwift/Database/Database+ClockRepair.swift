import DivanDatabase
import DivanLog

/// The result of ``Database/repairClock()``.
///
/// An addition to the official API.
public struct ClockRepair: Sendable, Equatable {
    /// Documents that got a new revision with the current time and the same content.
    public let restampedCount: Int
    /// Documents with revisions from the future that a peer already has; they are not changed.
    public let sharedCount: Int
}

extension Database {
    /// Repairs a database with version vectors that was written while the machine's clock was wrong (ahead).
    ///
    /// Peers reject revisions whose time is more than two minutes ahead of their clocks, and the database never uses an
    /// earlier time again. Set the machine's clock first. This method then sets the database's clock back. Documents
    /// with revisions from the future that no peer has get new revisions with the current time and the same content,
    /// and change listeners are called. Does nothing in a database with revision trees. An addition to the official
    /// API.
    ///
    /// - Returns: How many documents were affected.
    /// - Throws: `CBLError.transactionNotClosed` inside ``inBatch(using:)``; `notOpen`; disk errors. The database is
    ///   then unchanged.
    @discardableResult
    public func repairClock() throws -> ClockRepair {
        let store = try openStore()
        try requireNoBatch("repair the clock")
        return try translatingErrors {
            let repair = try store.repairClock()
            Journal.database.info(
                "Database \(name): clock repaired; \(repair.restampedCount) documents got new "
                    + "timestamps"
            )
            return ClockRepair(
                restampedCount: repair.restampedCount,
                sharedCount: repair.sharedCount
            )
        }
    }
}
