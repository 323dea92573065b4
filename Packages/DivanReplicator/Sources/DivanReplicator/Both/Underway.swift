/// What is under way over a whole connection.
///
/// Windows are each collection's own, so that none waits for another. With hundreds of collections they
/// would add up to more than the other side can hold, so all together have a bound, too.
struct Underway {
    /// Revisions that were asked for and are not finished.
    var requestedCount = 0
    /// Of these, revisions that have come, and wait for the transaction that they are gathered for.
    var gatheredCount = 0
    /// Of these, revisions whose transaction another thread is at.
    var storingCount = 0
    /// Lists that wait for their answer.
    var listsCount = 0
    /// Revisions read from the feed that wait to be sent.
    var queuedCount = 0
    /// Revisions sent and not answered.
    var unansweredCount = 0
    /// Bytes of their bodies.
    var unansweredByteCount = 0

    /// Revisions that were asked for and have not come.
    var comingCount: Int { requestedCount - hereCount }
    /// Revisions that have come and are not finished.
    var hereCount: Int { gatheredCount + storingCount }
}
