/// How many revisions may be sent and not yet answered.
///
/// What is in transit is lost with the connection and must be sent again, so the window is small where answers come at
/// once, and large enough to keep a link with high latency busy.
struct SendWindow {
    /// Answers of a peer in the same network come sooner than this.
    private static let nearbyDelay: Duration = .milliseconds(25)

    private var shortestDelay: Duration = .zero
    private var isMeasured = false

    /// Records how long the peer took to answer something small, on a connection that was idle.
    ///
    /// A revision's answer also waits for those before it, so a slow peer would seem far away.
    mutating func turned(after delay: Duration?) {
        if let delay { answered(after: delay) }
    }

    /// Records how long an answer took; the shortest indicates the latency of the link.
    mutating func answered(after delay: Duration) {
        shortestDelay = isMeasured ? min(shortestDelay, delay) : delay
        isMeasured = true
    }

    /// The maximum number of revisions in transit.
    func revisionsCount(_ limits: ReplicatorLimits) -> Int {
        shortestDelay <= Self.nearbyDelay
            ? min(limits.unansweredNearbyCount, limits.unansweredRevisionsCount)
            : limits.unansweredRevisionsCount
    }
}
