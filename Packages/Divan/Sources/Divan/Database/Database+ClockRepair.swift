import DivanStore

/// What ``Database/repairClock()`` did.
///
/// An addition to the official API.
public struct ClockRepair: Sendable, Equatable {
    /// Documents that have a new revision with the present time and the same content.
    public let restampedCount: Int
    /// Documents with revisions from the future that a peer has already; these stay.
    public let sharedCount: Int
}

extension Database {
    /// Repairs a database with version vectors that was written while the machine's clock was ahead.
    ///
    /// Peers refuse revisions whose time is more than two minutes ahead of their clocks, and the database continues
    /// after the latest time that it has used. Set the machine's clock first. Then this sets the database's clock back,
    /// and gives documents with revisions from the future, as far as no peer has them, new ones with the present time
    /// and the same content; change listeners are called. Does nothing in a database with revision trees. An addition
    /// to the official API.
    ///
    /// - Returns: How many documents were affected.
    /// - Throws: `CBLError.transactionNotClosed` inside ``inBatch(using:)``; `notOpen`; what the disk reports. The
    ///   database is then unchanged.
    @discardableResult
    public func repairClock() throws -> ClockRepair {
        let store = try openStore()
        try requireNoBatch("repair the clock")
        return try translatingErrors {
            let repair = try store.repairClock()
            Journal.database.info(
                "Database \(name): clock repaired; \(repair.restampedCount) documents got new timestamps"
            )
            return ClockRepair(
                restampedCount: repair.restampedCount,
                sharedCount: repair.sharedCount
            )
        }
    }
}
