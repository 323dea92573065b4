import Synchronization

/// A clock that a test advances, with the work that is scheduled on it.
///
/// Hours of virtual time take no real time, and the order is always the same: work runs in order of its time, work
/// of equal time in the order in which it was scheduled. Can be used from any thread; work runs on the thread that
/// calls `advance(to:)`.
public final class VirtualClock: Sendable {
    private struct Work: Sendable {
        let time: Duration
        let order: Int
        let body: @Sendable () -> Void
    }

    private struct State: Sendable {
        var now: Duration = .zero
        var scheduledCount = 0
        var waiting: [Work] = []
    }

    private let state = Mutex(State())

    /// Creates a clock at zero.
    public init() {}

    /// The time since the clock was created.
    public var now: Duration { state.withLock { $0.now } }

    /// The time at which the next work is due, or `nil` if there is none.
    public var deadline: Duration? { state.withLock { $0.waiting.first?.time } }

    /// Runs `body` once the clock reaches `time`; a time in the past means the next advance.
    public func schedule(at time: Duration, _ body: @escaping @Sendable () -> Void) {
        state.withLock { state in
            let work = Work(time: time, order: state.scheduledCount, body: body)
            state.scheduledCount += 1
            let place = state.waiting.firstIndex { $0.time > time } ?? state.waiting.endIndex
            state.waiting.insert(work, at: place)
        }
    }

    /// Advances the clock by `step` and runs the work that becomes due.
    public func advance(by step: Duration) {
        advance(to: now + step)
    }

    /// Advances the clock to `time`, never backward, and runs the work that becomes due.
    ///
    /// Each piece of work sees the clock at its own time and may schedule more.
    public func advance(to time: Duration) {
        while let work = takeDue(at: time) { work() }
        state.withLock { $0.now = max($0.now, time) }
    }

    private func takeDue(at time: Duration) -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard let first = state.waiting.first, first.time <= time else { return nil }
            state.waiting.removeFirst()
            state.now = max(state.now, first.time)
            return first.body
        }
    }
}
