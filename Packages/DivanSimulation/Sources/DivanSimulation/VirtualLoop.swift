import DivanPlatform
public import DivanTransport
import Synchronization

/// An event loop without a thread, in virtual time: its owner runs it, and hours of virtual time take no real time.
///
/// Work runs in the order in which it was submitted; when no work is left, the clock advances to the next timer. So
/// the order of all work on one such loop is deterministic. Work and timers can be added on any thread; one thread
/// at a time runs the loop.
public final class VirtualLoop: EventLoop {
    private struct State {
        var now: Duration = .zero
        var lastNumber: UInt64 = 0
        var work: [@Sendable () -> Void] = []
        var doneCount = 0  // at the front of `work`
        var timers = TimerQueue()
    }

    private let state = Mutex(State())
    private let thread = Atomic<UInt>(0)

    /// Creates a loop whose clock is at zero.
    public init() {}

    // MARK: EventLoop

    /// The virtual time.
    public var now: Duration { state.withLock { $0.now } }

    /// Whether the caller is the thread that runs the loop.
    public var isCurrent: Bool { thread.load(ordering: .relaxed) == CurrentThread.id }

    /// Runs `work` in the next turn, after all work submitted before.
    public func execute(_ work: @escaping @Sendable () -> Void) {
        state.withLock { $0.work.append(work) }
    }

    /// Runs `work` once the clock has reached `deadline`.
    @discardableResult
    public func schedule(
        at deadline: Duration,
        _ work: @escaping @Sendable () -> Void
    ) -> TimerToken {
        state.withLock { state in
            state.lastNumber += 1
            state.timers.insert(state.lastNumber, at: deadline, work)
            return TimerToken(number: state.lastNumber)
        }
    }

    /// Cancels a timer.
    public func cancel(_ timer: TimerToken) {
        state.withLock { $0.timers.cancel(timer.number) }
    }

    // MARK: Turning it

    /// The time of the next work: now, the next timer, or never (`nil`).
    public var deadline: Duration? {
        state.withLock { state in
            if state.doneCount < state.work.count { return state.now }
            return state.timers.deadline().map { max($0, state.now) }
        }
    }

    /// Advances the clock to `time` and runs all work that is due until then.
    public func run(until time: Duration) {
        turn { runNext(before: time) }
        state.withLock { $0.now = max($0.now, time) }
    }

    /// Advances the clock by `duration` and runs all work that is due until then.
    public func run(for duration: Duration) {
        run(until: now + duration)
    }

    /// Runs until `condition` is true, which is checked after each piece of work, for at most `limit`.
    ///
    /// - Returns: Whether the condition is true; false if no work was left, or the limit was reached.
    public func run(within limit: Duration, until condition: () -> Bool) -> Bool {
        let end = now + limit
        var holds = condition()
        turn {
            guard !holds, runNext(before: end) else { return false }
            holds = condition()
            return true
        }
        return holds
    }

    private func turn(_ step: () -> Bool) {
        let outer = thread.exchange(CurrentThread.id, ordering: .relaxed)
        while step() {}
        thread.store(outer, ordering: .relaxed)
    }

    /// Runs one piece of work, or one timer that is due by `end`; false when there is none.
    private func runNext(before end: Duration) -> Bool {
        guard let work = state.withLock({ Self.takeNext(from: &$0, before: end) }) else {
            return false
        }
        work()
        return true
    }

    private static func takeNext(
        from state: inout State,
        before end: Duration
    ) -> (@Sendable () -> Void)? {
        if state.doneCount < state.work.count {
            defer {
                state.doneCount += 1
                if state.doneCount == state.work.count || state.doneCount > 1024 {
                    state.work.removeFirst(state.doneCount)
                    state.doneCount = 0
                }
            }
            return state.work[state.doneCount]
        }
        guard let deadline = state.timers.deadline(), deadline <= end else { return nil }
        state.now = max(state.now, deadline)
        return state.timers.take(at: state.now, upTo: .max)
    }
}
