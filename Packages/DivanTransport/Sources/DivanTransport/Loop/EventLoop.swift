/// A serial executor: closures and timers run one after another on one thread.
///
/// All code of a connection runs on its loop, so it needs no locks. All members can be used from any thread.
public protocol EventLoop: AnyObject, Sendable {
    /// The time since an origin that the loop chooses; it never decreases.
    var now: Duration { get }

    /// Whether the caller runs on this loop.
    var isCurrent: Bool { get }

    /// Runs `work` soon, after all closures scheduled before; never within the call.
    func execute(_ work: @escaping @Sendable () -> Void)

    /// Runs `work` once `now` has reached `deadline`; never within the call.
    @discardableResult
    func schedule(at deadline: Duration, _ work: @escaping @Sendable () -> Void) -> TimerToken

    /// Cancels a timer; does nothing if it has already run.
    func cancel(_ timer: TimerToken)
}

/// Identifies a scheduled timer of one loop.
public struct TimerToken: Hashable, Sendable {
    /// The number of the timer in its loop.
    public let number: UInt64

    /// Creates a token; each loop numbers its own timers and never reuses a number.
    public init(number: UInt64) {
        self.number = number
    }
}
