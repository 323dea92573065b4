public import Dispatch

/// Runs delayed work on a queue.
public enum Later {
    /// Runs `work` on `queue` after a delay.
    ///
    /// Needs no further file descriptor: Dispatch opens its epoll and its clock with the first work item of the
    /// process.
    public static func run(
        after time: Duration,
        on queue: DispatchQueue,
        _ work: @escaping @Sendable () -> Void
    ) {
        let (seconds, attoseconds) = time.components
        // More than a hundred years is the same as a hundred.
        let whole = max(0, min(seconds, 3_155_760_000)) * 1_000_000_000
        let nanoseconds = whole + attoseconds / 1_000_000_000
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(nanoseconds)), execute: work)
    }
}
