/// A serial executor: closures and timers run one after another on one thread.
///
/// Everything that belongs to a connection happens on its loop, so that it needs no locks. All members may be used from
/// any thread.
public protocol EventLoop: AnyObject, Sendable {
    /// The time since an origin of the loop's choice; it never goes backward.
    var now: Duration { get }

    /// Whether the caller runs on this loop.
    var isCurrent: Bool { get }

    /// Runs `work` soon, after everything handed over before; never within the call.
    func execute(_ work: @escaping @Sendable () -> Void)

    /// Runs `work` once `now` has reached `deadline`; never within the call.
    @discardableResult
    func schedule(at deadline: Duration, _ work: @escaping @Sendable () -> Void) -> TimerToken

    /// Forgets a timer; does nothing if it has already run.
    func cancel(_ timer: TimerToken)
}

/// Identifies a scheduled timer of one loop.
public struct TimerToken: Hashable, Sendable {
    /// The number by which its loop knows the timer.
    public let number: UInt64

    /// Creates a token; each loop numbers its own timers and never reuses a number.
    public init(number: UInt64) {
        self.number = number
    }
}
