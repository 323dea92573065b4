import Dispatch
public import DivanTransport
import Synchronization

/// An event loop on a serial Dispatch queue, for programs that already have such queues.
public final class QueueLoop: EventLoop {
    private struct State {
        var lastNumber: UInt64 = 0
        var timers = TimerQueue()
    }

    private static let key = DispatchSpecificKey<ObjectIdentifier>()
    private let queue = DispatchQueue(label: "example.loop")
    private let state = Mutex(State())
    private let start = ContinuousClock.now

    /// Creates a loop, whose time begins at zero.
    public init() {
        queue.setSpecific(key: Self.key, value: ObjectIdentifier(self))
    }

    /// The time since the loop was created, which never goes back.
    public var now: Duration { ContinuousClock.now - start }

    /// Whether the caller runs on the queue.
    public var isCurrent: Bool {
        DispatchQueue.getSpecific(key: Self.key) == ObjectIdentifier(self)
    }

    /// Runs `work` after the earlier work of the queue.
    public func execute(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }

    /// Runs `work` at a time.
    @discardableResult
    public func schedule(
        at deadline: Duration,
        _ work: @escaping @Sendable () -> Void
    ) -> TimerToken {
        let token = state.withLock { state in
            state.lastNumber += 1
            state.timers.insert(state.lastNumber, at: deadline, work)
            return TimerToken(number: state.lastNumber)
        }
        wake(at: deadline)
        return token
    }

    /// Forgets a timer.
    public func cancel(_ timer: TimerToken) {
        state.withLock { $0.timers.cancel(timer.number) }
    }

    /// Dispatch calls late, never early; `TimerQueue` keeps the order if several are due.
    private func wake(at deadline: Duration) {
        let (seconds, attoseconds) = max(.zero, deadline - now).components
        // Rounded up: work never runs before its time.
        let nanoseconds =
            Int(min(seconds, 1 << 30)) * 1_000_000_000
            + Int(attoseconds / 1_000_000_000) + 1
        queue.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { [weak self] in
            self?.runDue()
        }
    }

    private func runDue() {
        let newest = state.withLock { $0.lastNumber }
        while let work = state.withLock({ $0.timers.take(at: now, upTo: newest) }) { work() }
    }
}
