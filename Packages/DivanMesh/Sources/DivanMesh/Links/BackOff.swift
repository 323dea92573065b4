internal import DivanCrypto

/// When to try again after failures: later each time, and at a random time.
///
/// The longest wait doubles from one second to a minute. The actual wait is drawn evenly from zero to the longest
/// (full jitter), so that many peers that lost the same peer do not return to it at once.
struct BackOff: Equatable, Sendable {
    /// Failures since the last success.
    private(set) var failureCount = 0
    /// No earlier than this.
    private(set) var retryAt: Duration = .zero

    /// Records a failure.
    mutating func fail(at now: Duration, random: any RandomSource) {
        let doublings = min(failureCount, 16)
        failureCount += 1
        let longest = min(MeshTiming.firstBackOff * (1 << doublings), MeshTiming.longestBackOff)
        let fraction = random.bytes(4).reduce(0) { $0 << 8 | Int64($1) }
        retryAt = now + longest * fraction / Int64(UInt32.max)
    }

    /// Forgets the failures.
    mutating func succeed() {
        failureCount = 0
        retryAt = .zero
    }

    /// Waits until a time, without a failure.
    mutating func wait(until time: Duration) {
        retryAt = max(retryAt, time)
    }

    /// Whether it may be tried.
    func isReady(at now: Duration) -> Bool { now >= retryAt }
}
