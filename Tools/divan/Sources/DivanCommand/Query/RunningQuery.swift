import DivanStore
import Synchronization

/// The question that runs, so that Ctrl-C stops it, and those that would follow it.
final class RunningQuery: Sendable {
    private struct State {
        var watch: QueryWatch?
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

    /// A watch for the next question.
    func begin() -> QueryWatch {
        let made = QueryWatch()
        let isStopped = state.withLock { state in
            state.watch = made
            return state.isStopped
        }
        if isStopped { made.cancel() }
        return made
    }

    /// Stops the question that runs, and the rest of its line or file; `false` when none does.
    func stop() -> Bool {
        let (watch, isRunning) = state.withLock { state in
            state.isStopped = true
            return (state.watch, state.isRunning)
        }
        watch?.cancel()
        return isRunning
    }
}
