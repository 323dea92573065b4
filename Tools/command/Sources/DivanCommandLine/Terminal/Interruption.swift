package import DivanPlatform
import Synchronization

/// Ctrl-C: the first asks the command to stop cleanly, the second ends the program at once.
package final class Interruption: Sendable {
    private struct State {
        var isRequested = false
        var isTermination = false
        var actions: [@Sendable () -> Void] = []
        /// A pipe that becomes readable as soon as a stop is requested.
        var stopPipe: (reading: FileDescriptor, writing: FileDescriptor)?

        /// The readable end of the pipe; none if the system has no pipe left, and no thread can be woken.
        mutating func openStopPipe() -> FileDescriptor {
            if stopPipe == nil { stopPipe = try? FileDescriptor.pipe() }
            return stopPipe?.reading ?? .none
        }
    }

    private let state = Mutex(State())
    private let handler = Mutex<SignalHandler?>(nil)

    /// The one for this thread's command: from signals, unless it runs for another process.
    package static func forVerb() -> Interruption { Streams.current.interruption ?? Interruption() }

    /// The interruption that the work on this thread checks; `nil` if it checks none.
    @TaskLocal package static var current: Interruption?

    /// Ends the work on this thread if a stop was requested.
    package static func check() throws(Failure) {
        guard let current, current.isRequested else { return }
        throw current.failure
    }

    /// Creates an interruption that is triggered by `request()` instead of a signal.
    package init(byHand: Void) {}

    /// Requests a stop.
    package func request() {
        for action in take(.interrupt) ?? [] { action() }
    }

    /// Begins to handle SIGINT and SIGTERM.
    package init() {
        let handled = SignalHandler([.interrupt, .terminate], label: "divan.interruption") {
            [weak self] in
            self?.request($0)
        }
        handler.withLock { $0 = handled }
    }

    deinit {
        guard let stopPipe = state.withLock({ $0.stopPipe }) else { return }
        stopPipe.reading.close()
        stopPipe.writing.close()
    }

    /// Whether a stop was requested.
    package var isRequested: Bool { state.withLock { $0.isRequested } }

    /// Whether it was SIGTERM, which a service manager sends, and not Ctrl-C.
    package var isTermination: Bool { state.withLock { $0.isTermination } }

    /// The cause of the stop, for messages.
    package var cause: String { isTermination ? "SIGTERM" : "Ctrl-C" }

    /// The failure of a command that was stopped.
    package var failure: Failure { .stopped(by: cause) }

    /// Runs `action` when Ctrl-C is pressed, or at once if it was already.
    package func onRequest(_ action: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            if !state.isRequested { state.actions.append(action) }
            return state.isRequested
        }
        if isLate { action() }
    }

    /// Waits until a file, a pipe or a terminal can be read, or has ended.
    ///
    /// - Throws: `Failure` of kind `interrupted` if a stop is requested, before or in the meantime.
    package func waitToRead(from descriptor: FileDescriptor) throws(Failure) {
        let stopping = state.withLock { $0.openStopPipe() }
        var polled = [descriptor, stopping].map { PolledDescriptor($0, .reading) }
        while !isRequested {
            do {
                _ = try PolledDescriptor.wait(&polled, milliseconds: -1)
                break
            } catch {
                if error.errno != .interrupted { break }
            }
        }
        if isRequested { throw failure }
    }

    private func request(_ signal: Signal) {
        guard let actions = take(signal) else {
            CurrentProcess.exitNow(Failure.Kind.interrupted.rawValue)
        }
        for action in actions { action() }
    }

    /// The actions to run, `nil` if a stop was requested before.
    private func take(_ signal: Signal) -> [@Sendable () -> Void]? {
        state.withLock { state in
            if state.isRequested { return nil }
            state.isRequested = true
            state.isTermination = signal == .terminate
            try? state.stopPipe?.writing.writeAll([1])
            defer { state.actions = [] }
            return state.actions
        }
    }
}
