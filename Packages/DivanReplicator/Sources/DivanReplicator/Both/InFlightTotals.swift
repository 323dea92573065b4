/// Totals of what is in progress over a whole connection.
///
/// Each collection has its own windows, so that none waits for another. With hundreds of collections these would add up
/// to more than the other side can hold, so there are limits for the total, too.
struct InFlightTotals {
    /// Revisions that were requested and are not finished.
    var requestedCount = 0
    /// Of these, revisions that have arrived, and wait for the transaction for which they are gathered.
    var gatheredCount = 0
    /// Of these, revisions whose transaction is running on another thread.
    var storingCount = 0
    /// Lists waiting for their answer.
    var listsCount = 0
    /// Revisions read from the feed that wait to be sent.
    var queuedCount = 0
    /// Revisions sent and not yet answered.
    var unansweredCount = 0
    /// Bytes of their bodies.
    var unansweredByteCount = 0

    /// Revisions that were requested and have not arrived.
    var comingCount: Int { requestedCount - hereCount }
    /// Revisions that have arrived and are not finished.
    var hereCount: Int { gatheredCount + storingCount }
}
