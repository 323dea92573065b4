import Dispatch
import Synchronization

/// Does work that a loop must not wait for on threads of its own, a bounded number at a time; the rest
/// waits in line.
///
/// The line is as long as its users make it: servers have a bound of connections, each of which asks for
/// one thing at a time. May be used from any thread.
public final class WorkQueue: Sendable {
    private struct State {
        var runningCount = 0
        var waiting: [@Sendable () -> Void] = []
        var firstWaiting = 0

        mutating func takeWaiting() -> (@Sendable () -> Void)? {
            guard firstWaiting < waiting.count else {
                waiting = []
                firstWaiting = 0
                return nil
            }
            let next = waiting[firstWaiting]
            firstWaiting += 1
            // A line that is never empty still lets go of what is done.
            if firstWaiting * 2 > waiting.count {
                waiting.removeFirst(firstWaiting)
                firstWaiting = 0
            }
            return next
        }
    }

    private let limit: Int
    private let state = Mutex(State())
    private let queue: DispatchQueue

    /// Creates a queue.
    ///
    /// - Parameters:
    ///   - label: The name of its threads, for debuggers.
    ///   - limit: How much is done at a time, at least one thing.
    public init(label: String, limit: Int) {
        self.limit = max(1, limit)
        queue = DispatchQueue(label: label, attributes: .concurrent)
    }

    /// Does `work` soon, behind what waits already.
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
            guard let next = state.takeWaiting() else {
                state.runningCount -= 1
                return nil
            }
            return next
        }
    }
}
