import Glibc
import Synchronization

/// SIGHUP while a command serves: it reads its files again.
///
/// If the terminal in which the command was started was closed, the same signal ends the program, as SIGTERM does.
package final class ReloadSignal: Sendable {
    private struct State {
        var isPending = false
        var action: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    private let handler = Mutex<SignalHandler?>(nil)

    /// Begins to handle the signal.
    package init() {
        let terminals = [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO].filter { isatty($0) == 1 }
        let handled = SignalHandler([SIGHUP], label: "divan.reload") { [weak self] _ in
            // isatty fails for a terminal that has hung up.
            guard terminals.allSatisfy({ isatty($0) == 1 }) else {
                kill(getpid(), SIGTERM)
                return
            }
            self?.request()
        }
        handler.withLock { $0 = handled }
    }

    /// Runs `action` at each signal, on any thread.
    package func onRequest(_ action: @escaping @Sendable () -> Void) {
        state.withLock { $0.action = action }
    }

    /// Whether there was a signal since the last call.
    package func take() -> Bool {
        state.withLock { state in
            defer { state.isPending = false }
            return state.isPending
        }
    }

    private func request() {
        let action = state.withLock { state in
            state.isPending = true
            return state.action
        }
        action?()
    }
}
