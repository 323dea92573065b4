public import Observation
internal import Synchronization

/// The latest value of a sequence of updates, for code that observes properties, such as a user interface.
///
/// ```swift
/// let open = Observed(notes.live(where: #Predicate<Note> { !$0.done }), initial: [])
/// withObservationTracking { show(open.value) } onChange: { … }
/// ```
///
/// Created on an actor, such as the main actor, it changes on that actor; the properties can be read from any thread. It
/// follows the sequence until it is released.
public final class Observed<Value: Sendable>: Observable, Sendable {
    private struct State {
        var value: Value
        var error: (any Error)?
        var isEnded = false
        var task: Task<Void, Never>?
    }

    private let registrar = ObservationRegistrar()
    private let state: Mutex<State>

    /// Begins to follow a sequence.
    ///
    /// - Parameters:
    ///   - updates: The sequence.
    ///   - initial: The value until the first one arrives.
    ///   - isolation: The actor on which the properties change; by default the one on which it is created.
    public init<Failure: Error>(
        _ updates: Updates<Value, Failure>,
        initial: Value,
        isolation: isolated (any Actor)? = #isolation
    ) {
        state = Mutex(State(value: initial))
        let task = Task { [weak self] in
            _ = isolation  // the task runs there
            do {
                for try await value in updates {
                    guard let self else { return }
                    set(value)
                }
                self?.end(nil)
            } catch {
                self?.end(error)
            }
        }
        state.withLock { $0.task = task }
    }

    deinit {
        state.withLock { $0.task }?.cancel()
    }

    /// The latest value.
    public var value: Value {
        registrar.access(self, keyPath: \.value)
        return state.withLock { $0.value }
    }

    /// The error that ended the sequence, if any.
    public var error: (any Error)? {
        registrar.access(self, keyPath: \.error)
        return state.withLock { $0.error }
    }

    /// Whether the sequence has ended, so that the value does not change any more.
    public var isEnded: Bool {
        registrar.access(self, keyPath: \.isEnded)
        return state.withLock { $0.isEnded }
    }

    private func set(_ value: Value) {
        registrar.withMutation(of: self, keyPath: \.value) {
            state.withLock { $0.value = value }
        }
    }

    private func end(_ error: (any Error)?) {
        registrar.withMutation(of: self, keyPath: \.error) {
            registrar.withMutation(of: self, keyPath: \.isEnded) {
                state.withLock { state in
                    state.error = error
                    state.isEnded = true
                }
            }
        }
    }
}
