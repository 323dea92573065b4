import Dispatch
import Synchronization

/// Does work that a loop must not wait for on threads of its own, a bounded number at a time; the rest
/// waits in line.
///
/// The line is as long as its users make it: servers have a bound of connections, each of which asks for
/// one thing at a time. May be used from any thread.
public final class WorkQueue: Sendable {
    private struct State {
        /// A serial queue each: such a queue has a thread of its own, where a concurrent one shares the
        /// pool of the process, which whoever blocks in it keeps from us.
        var idleLanes: [DispatchQueue] = []
        var laneCount = 0
        /// `nil` where it was taken: what it holds may use the queue as it goes, so it does not go here.
        var waiting: [(@Sendable () -> Void)?] = []
        var firstWaiting = 0

        mutating func takeWaiting() -> (@Sendable () -> Void)? {
            guard firstWaiting < waiting.count else {
                waiting = []
                firstWaiting = 0
                return nil
            }
            let next = waiting[firstWaiting].take()
            firstWaiting += 1
            // A line that is never empty still grows no longer.
            if firstWaiting * 2 > waiting.count {
                waiting.removeFirst(firstWaiting)
                firstWaiting = 0
            }
            return next
        }
    }

    private let label: String
    private let limit: Int
    private let state = Mutex(State())

    /// Creates a queue.
    ///
    /// - Parameters:
    ///   - label: The name of its threads, for debuggers.
    ///   - limit: How much is done at a time, at least one thing.
    public init(label: String, limit: Int) {
        self.label = label
        self.limit = max(1, limit)
    }

    /// Does `work` soon, behind what waits already.
    public func async(_ work: @escaping @Sendable () -> Void) {
        let lane = state.withLock { state -> DispatchQueue? in
            if let lane = state.idleLanes.popLast() { return lane }
            guard state.laneCount < limit else {
                state.waiting.append(work)
                return nil
            }
            state.laneCount += 1
            return DispatchQueue(label: label)
        }
        if let lane { run(work, on: lane) }
    }

    private func run(_ work: @escaping @Sendable () -> Void, on lane: DispatchQueue) {
        lane.async {
            work()
            if let next = self.takeNext(for: lane) { self.run(next, on: lane) }
        }
    }

    /// What the lane does next; without anything it is idle.
    private func takeNext(for lane: DispatchQueue) -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard let next = state.takeWaiting() else {
                state.idleLanes.append(lane)
                return nil
            }
            return next
        }
    }
}
