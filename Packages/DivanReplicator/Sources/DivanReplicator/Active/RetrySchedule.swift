/// When to retry a lost connection, and when to give up.
///
/// It has no timer: the caller calls it after each failure and waits for the returned time.
///
/// Source: `websocket-and-urls.md` §7, `behaviour.md` §7.
public struct RetrySchedule: Equatable, Sendable {
    /// What to do after a connection ended with an error.
    public enum Decision: Equatable, Sendable {
        /// Connect again after this long.
        case retry(after: Duration)
        /// Stop with the error.
        case giveUp
    }

    /// Retries since the last connection that replicated.
    public private(set) var retryCount = 0

    private let attemptCount: Int?
    private let longestWait: Duration
    private let isContinuous: Bool

    /// Creates a schedule.
    ///
    /// - Parameters:
    ///   - attemptCount: Attempts in total, including the first; 0 means 10 for a one-shot replication and no limit for
    ///     a continuous one.
    ///   - longestWait: The maximum wait between attempts; zero means 300 s.
    ///   - isContinuous: Whether the replication stays connected.
    public init(attemptCount: Int = 0, longestWait: Duration = .zero, isContinuous: Bool) {
        self.attemptCount = attemptCount > 0 ? attemptCount : (isContinuous ? nil : 10)
        self.longestWait = longestWait > .zero ? longestWait : .seconds(300)
        self.isContinuous = isContinuous
    }

    /// Decides what to do after a connection ended with `error`.
    ///
    /// `retryAfter` is the delay requested by the server; the longest wait limits that, too. An error that depends on
    /// the network is retried like any other: whether the host is reachable is only known by trying. A network change
    /// ends the wait.
    public mutating func failed(
        with error: SyncError,
        retryAfter: Duration? = nil
    ) -> Decision {
        switch error.recovery {
        case .none: return .giveUp
        case .whenContinuous where !isContinuous: return .giveUp
        case .retry, .whenContinuous: break
        }
        if let attemptCount, retryCount + 1 >= attemptCount { return .giveUp }
        retryCount += 1
        let seconds = Int64(1) << Int64(min(retryCount, 30))
        return .retry(after: min(max(.seconds(seconds), retryAfter ?? .zero), longestWait))
    }

    /// Resets the count, after a connection has replicated or the network has changed.
    public mutating func reset() {
        retryCount = 0
    }
}
