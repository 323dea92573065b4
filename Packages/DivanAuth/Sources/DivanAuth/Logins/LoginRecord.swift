/// How often somebody failed to log in, and how long that delays the next attempt.
struct LoginRecord {
    /// The delay of the first attempt that must wait; it doubles with each further failure.
    static let firstDelay = Duration.milliseconds(250)

    /// Whether a login has succeeded.
    private(set) var hasSucceeded = false
    private var failureCount = 0
    private var lastFailure: Duration = .zero
    /// No further attempt before this time; each waiting attempt postpones it.
    private var nextAttempt: Duration = .zero

    /// Whether there is something to remember.
    var isEmpty: Bool { failureCount == 0 && !hasSucceeded }

    /// Whether no failure counts any more.
    func isOver(at now: Duration, _ limits: AuthLimits) -> Bool {
        failureCount == 0 || now - lastFailure > limits.loginMemory
    }

    /// Decides when an attempt may be made.
    mutating func admit(at now: Duration, _ limits: AuthLimits) -> LoginDecision {
        if isOver(at: now, limits) { failureCount = 0 }
        guard failureCount >= limits.freeLoginFailureCount else { return .now }
        let wait = max(.zero, nextAttempt - now)
        guard wait <= limits.longestLoginDelay else { return .refused }
        nextAttempt = max(nextAttempt, now) + delay(limits)
        return .after(wait)
    }

    /// Records a failed login.
    mutating func fail(at now: Duration, _ limits: AuthLimits) {
        failureCount += 1
        lastFailure = now
        if failureCount == limits.freeLoginFailureCount { nextAttempt = now + delay(limits) }
    }

    /// Records a successful login; earlier failures still count, or one right guess would allow
    /// further ones.
    mutating func succeed() {
        hasSucceeded = true
    }

    /// Adds the record of another name: neither waits less than before.
    mutating func join(_ other: LoginRecord) {
        failureCount = max(failureCount, other.failureCount)
        lastFailure = max(lastFailure, other.lastFailure)
        nextAttempt = max(nextAttempt, other.nextAttempt)
    }

    private func delay(_ limits: AuthLimits) -> Duration {
        let doublings = min(max(0, failureCount - limits.freeLoginFailureCount), 10)
        return min(Self.firstDelay * (1 << doublings), limits.longestLoginDelay)
    }
}
