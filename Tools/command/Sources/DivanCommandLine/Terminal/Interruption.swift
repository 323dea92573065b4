import Glibc
import Synchronization

/// Ctrl-C: the first asks the command to stop cleanly, the second ends the program at once.
package final class Interruption: Sendable {
    private struct State {
        var isRequested = false
        var isTermination = false
        var actions: [@Sendable () -> Void] = []
        /// A pipe that becomes readable as soon as a stop is requested.
        var bell: (reading: Int32, writing: Int32)?

        /// The readable end of the bell; -1 if the system has no pipe left, and no thread can be woken.
        mutating func openBell() -> Int32 {
            if let bell { return bell.reading }
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { return -1 }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            bell = (ends[0], ends[1])
            return ends[0]
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
        for action in take(SIGINT) ?? [] { action() }
    }

    /// Begins to handle SIGINT and SIGTERM.
    package init() {
        let handled = SignalHandler([SIGINT, SIGTERM], label: "divan.interruption") { [weak self] in
            self?.request($0)
        }
        handler.withLock { $0 = handled }
    }

    deinit {
        guard let bell = state.withLock({ $0.bell }) else { return }
        close(bell.reading)
        close(bell.writing)
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
    package func waitToRead(from descriptor: Int32) throws(Failure) {
        let bell = state.withLock { $0.openBell() }
        var polled = [descriptor, bell].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while !isRequested, poll(&polled, nfds_t(polled.count), -1) < 0, errno == EINTR {}
        if isRequested { throw failure }
    }

    private func request(_ number: Int32) {
        guard let actions = take(number) else { _exit(Failure.Kind.interrupted.rawValue) }
        for action in actions { action() }
    }

    /// The actions to run, `nil` if a stop was requested before.
    private func take(_ number: Int32) -> [@Sendable () -> Void]? {
        state.withLock { state in
            if state.isRequested { return nil }
            state.isRequested = true
            state.isTermination = number == SIGTERM
            if let bell = state.bell { _ = write(bell.writing, "!", 1) }
            defer { state.actions = [] }
            return state.actions
        }
    }
}
