import Synchronization

/// The question that runs, so that Ctrl-C stops it, and those that would follow it.
final class RunningQuery: Sendable {
    private struct State {
        var cancel: (@Sendable () -> Void)?
        var isStopped = false
        /// Whether a line is being worked on.
        var isRunning = false
    }

    private let state = Mutex(State())

    /// Whether somebody asked to stop since the latest `allow`.
    var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Begins a line of questions.
    func allow() {
        state.withLock { state in
            state.isStopped = false
            state.isRunning = true
        }
    }

    /// Ends that line: whoever asks to stop from now on means what is typed next.
    func end() { state.withLock { $0.isRunning = false } }

    /// Begins a question, which `cancel` stops.
    func begin(_ cancel: @escaping @Sendable () -> Void) {
        let isStopped = state.withLock { state in
            state.cancel = cancel
            return state.isStopped
        }
        if isStopped { cancel() }
    }

    /// Stops the question that runs, and the rest of its line or file; `false` when none does.
    func stop() -> Bool {
        let (cancel, isRunning) = state.withLock { state in
            state.isStopped = true
            return (state.cancel, state.isRunning)
        }
        cancel?()
        return isRunning
    }
}
