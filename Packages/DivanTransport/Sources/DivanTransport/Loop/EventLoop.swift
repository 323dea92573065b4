/// A serial place: closures and timers run one after another on one thread.
///
/// Whatever belongs to a connection happens on its loop, so that nothing of it needs a lock. All
/// members may be used from any thread.
public protocol EventLoop: AnyObject, Sendable {
    /// The time since an origin of the loop's own; it never goes back.
    var now: Duration { get }

    /// Whether the caller runs on this loop.
    var isCurrent: Bool { get }

    /// Runs `work` soon, after whatever was handed over before; never within the call.
    func execute(_ work: @escaping @Sendable () -> Void)

    /// Runs `work` once `now` has reached `deadline`; never within the call.
    @discardableResult
    func schedule(at deadline: Duration, _ work: @escaping @Sendable () -> Void) -> TimerToken

    /// Forgets a timer; one that has run already is no mistake.
    func cancel(_ timer: TimerToken)
}

/// Names a scheduled timer of one loop.
public struct TimerToken: Hashable, Sendable {
    /// The number, by which its loop knows the timer.
    public let number: UInt64

    /// Creates a token; loops number theirs, and never use a number twice.
    public init(number: UInt64) {
        self.number = number
    }
}
