import Synchronization

/// Tells code that handles a request whether the client has disconnected before the response.
///
/// Can be used from any thread.
public final class DisconnectSignal: Sendable {
    private struct State {
        var isOver = false
        var actions: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    init() {}

    /// Whether the client has gone.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// Runs `action` once when the client goes; does nothing if it has already gone.
    func whenOver(_ action: @escaping @Sendable () -> Void) {
        state.withLock { if !$0.isOver { $0.actions.append(action) } }
    }

    /// Records that the client has gone.
    func note() {
        let actions = state.withLock { state in
            state.isOver = true
            defer { state.actions = [] }
            return state.actions
        }
        for action in actions { action() }
    }
}
