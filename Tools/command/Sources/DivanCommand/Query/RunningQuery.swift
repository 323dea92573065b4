import Synchronization

/// The running query, so that Ctrl-C stops it and those that would follow.
final class RunningQuery: Sendable {
    private struct State {
        var cancel: (@Sendable () -> Void)?
        var isStopped = false
        /// Whether a line is being processed.
        var isRunning = false
    }

    private let state = Mutex(State())

    /// Whether a stop was requested since the latest `allow`.
    var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Begins a line of queries.
    func allow() {
        state.withLock { state in
            state.isStopped = false
            state.isRunning = true
        }
    }

    /// Ends that line: a later stop refers to what is typed next.
    func end() { state.withLock { $0.isRunning = false } }

    /// Begins a query, which `cancel` stops.
    func begin(_ cancel: @escaping @Sendable () -> Void) {
        let isStopped = state.withLock { state in
            state.cancel = cancel
            return state.isStopped
        }
        if isStopped { cancel() }
    }

    /// Stops the running query, and the rest of its line or file; `false` if none runs.
    func stop() -> Bool {
        let (cancel, isRunning) = state.withLock { state in
            state.isStopped = true
            return (state.cancel, state.isRunning)
        }
        cancel?()
        return isRunning
    }
}
