public import Dispatch

/// Work of a queue that is not due yet.
public enum Later {
    /// Runs `work` on `queue` when the time is over.
    ///
    /// Needs no descriptor: Dispatch opens its epoll and its clock beside the first work that a process hands it.
    public static func run(
        after time: Duration,
        on queue: DispatchQueue,
        _ work: @escaping @Sendable () -> Void
    ) {
        let (seconds, attoseconds) = time.components
        // More than a hundred years are as good as those.
        let whole = max(0, min(seconds, 3_155_760_000)) * 1_000_000_000
        let nanoseconds = whole + attoseconds / 1_000_000_000
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(nanoseconds)), execute: work)
    }
}
