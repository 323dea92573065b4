import Dispatch
import Synchronization

/// Does work on threads of its own, a bounded number at a time; the rest waits in line.
///
/// The line is as long as there are connections, each of which asks for one thing at a time.
public final class WorkQueue: Sendable {
    private struct State {
        var runningCount = 0
        var waiting: [@Sendable () -> Void] = []
        var firstWaiting = 0
    }

    private let limit: Int
    private let state = Mutex(State())
    private let queue: DispatchQueue

    /// Creates a queue.
    public init(label: String, limit: Int) {
        self.limit = max(1, limit)
        queue = DispatchQueue(label: label, attributes: .concurrent)
    }

    /// Does `work` soon.
    public func async(_ work: @escaping @Sendable () -> Void) {
        let isFree = state.withLock { state in
            guard state.runningCount < limit else {
                state.waiting.append(work)
                return false
            }
            state.runningCount += 1
            return true
        }
        if isFree { run(work) }
    }

    private func run(_ work: @escaping @Sendable () -> Void) {
        queue.async {
            work()
            if let next = self.takeNext() { self.run(next) }
        }
    }

    private func takeNext() -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard state.firstWaiting < state.waiting.count else {
                state.runningCount -= 1
                state.waiting = []
                state.firstWaiting = 0
                return nil
            }
            defer { state.firstWaiting += 1 }
            return state.waiting[state.firstWaiting]
        }
    }
}
