import DivanPlatform
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
        let terminals = [FileDescriptor.standardInput, .standardOutput, .standardError]
            .filter(\.isTerminal)
        let handled = SignalHandler([.hangup], label: "divan.reload") { [weak self] _ in
            // One that has hung up is a terminal no longer.
            guard terminals.allSatisfy(\.isTerminal) else {
                Signal.terminate.send(to: CurrentProcess.id)
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
