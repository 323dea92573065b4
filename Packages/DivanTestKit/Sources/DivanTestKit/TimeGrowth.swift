import DivanPlatform

/// How the processor time of a run grows with the size of its input.
///
/// Only the time of the calling thread counts, so waiting for a busy processor adds nothing. A shared processor may
/// still be slow for a moment: a growth above the limit is measured again, and counts only if each round exceeds it.
/// Work that is quadratic in its input exceeds the limit in every round.
///
/// ```swift
/// let growth = try TimeGrowth(from: 10_000, to: 100_000, limit: 40) { count in
///     _ = try parse(String(repeating: "a", count: count))
/// }
/// #expect(growth.isWithinLimit, "\(growth)")
/// ```
public struct TimeGrowth: Sendable, CustomStringConvertible {
    /// The time for the smaller size, at least 0.1 ms: shorter times say nothing.
    public private(set) var small: Duration
    /// The time for the larger size.
    public private(set) var large: Duration
    /// The largest ratio that is accepted.
    public let limit: Double

    private static let leastTime = Duration.microseconds(100)
    private static let roundCount = 6

    /// Runs the work with both sizes, up to six times, until the ratio of the times is within the limit.
    public init(
        from smallSize: Int,
        to largeSize: Int,
        limit: Double,
        _ run: (_ size: Int) throws -> Void
    ) rethrows {
        func round() throws -> (Duration, Duration) {
            // On both sides of the long run, so that a change of the processor's speed affects both.
            let first = try processorTime { try run(smallSize) }
            let large = try processorTime { try run(largeSize) }
            let last = try processorTime { try run(smallSize) }
            return (max(first, last, Self.leastTime), large)
        }
        self.limit = limit
        (small, large) = try round()
        for _ in 1..<Self.roundCount where !isWithinLimit { (small, large) = try round() }
    }

    /// How many times longer the larger size takes.
    public var ratio: Double { large / small }

    /// Whether the ratio is within the limit.
    public var isWithinLimit: Bool { ratio <= limit }

    /// Both times and the ratio.
    public var description: String { "\(small) and \(large), a ratio of \(ratio)" }
}

/// The processor time that this thread spends in a closure.
public func processorTime(_ run: () throws -> Void) rethrows -> Duration {
    let start = ProcessorClock.thread()
    try run()
    return .nanoseconds(Int64(clamping: ProcessorClock.thread() - start))
}
