import Dispatch
import Glibc
import Synchronization

/// Ctrl-C: the first asks the command to stop cleanly, the second ends the program at once.
package final class Interruption: @unchecked Sendable {
    // Unchecked: `sources` is filled by init and never touched again; all else is locked.
    private struct State {
        var isRequested = false
        var isTermination = false
        var actions: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())
    private var sources: [any DispatchSourceSignal] = []

    /// The one for the verb that runs on this thread: by signals, unless it works for another process.
    package static func forVerb() -> Interruption { Streams.current.interruption ?? Interruption() }

    /// One that somebody asks by `request()`, and no signal.
    package init(byHand: Void) {}

    /// Asks to stop.
    package func request() {
        for action in take(SIGINT) ?? [] { action() }
    }

    /// Begins to listen for SIGINT and SIGTERM.
    package init() {
        let queue = DispatchQueue(label: "divan.interruption")
        let registrations = DispatchGroup()
        sources = [SIGINT, SIGTERM].map { number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { [weak self] in self?.request(number) }
            registrations.enter()
            source.setRegistrationHandler { registrations.leave() }
            return source
        }
        for source in sources { source.resume() }
        // A signal that comes sooner ends the program: ignored, it would be lost.
        registrations.wait()
    }

    /// Whether Ctrl-C was pressed.
    package var isRequested: Bool { state.withLock { $0.isRequested } }

    /// Whether it was SIGTERM, which a service manager sends, and not Ctrl-C.
    package var isTermination: Bool { state.withLock { $0.isTermination } }

    /// Runs `action` when Ctrl-C is pressed, or at once if it was already.
    package func onRequest(_ action: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            if !state.isRequested { state.actions.append(action) }
            return state.isRequested
        }
        if isLate { action() }
    }

    private func request(_ number: Int32) {
        guard let actions = take(number) else { _exit(Failure.Kind.interrupted.rawValue) }
        for action in actions { action() }
    }

    /// What is to be done, `nil` when it was asked before.
    private func take(_ number: Int32) -> [@Sendable () -> Void]? {
        state.withLock { state in
            if state.isRequested { return nil }
            state.isRequested = true
            state.isTermination = number == SIGTERM
            defer { state.actions = [] }
            return state.actions
        }
    }
}
