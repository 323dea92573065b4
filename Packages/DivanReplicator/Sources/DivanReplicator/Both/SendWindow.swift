/// How many revisions may be sent and not answered.
///
/// What is on its way is lost with the connection and has to come again, so there is little of it
/// where answers come at once; where the way is long, there is enough to keep it full.
struct SendWindow {
    /// Answers of a peer in the same network come sooner than this.
    private static let nearbyDelay: Duration = .milliseconds(25)

    private var shortestDelay: Duration = .zero
    private var isMeasured = false

    /// Notes how long the peer took to answer something small, on a connection that was idle.
    ///
    /// A revision's answer also waits for those before it, so a slow peer would seem far away.
    mutating func turned(after delay: Duration?) {
        if let delay { answered(after: delay) }
    }

    /// Notes how long an answer took; the shortest tells the length of the way.
    mutating func answered(after delay: Duration) {
        shortestDelay = isMeasured ? min(shortestDelay, delay) : delay
        isMeasured = true
    }

    /// The most revisions on their way.
    func revisionsCount(_ limits: ReplicatorLimits) -> Int {
        shortestDelay <= Self.nearbyDelay
            ? min(limits.unansweredNearbyCount, limits.unansweredRevisionsCount)
            : limits.unansweredRevisionsCount
    }
}
