import DivanTransport
import Synchronization

/// Waits for something in a database: looks, and while there is nothing waits for the bell.
final class ChangeWait: Sendable {
    let bell: ChangeBell
    private let queue: WorkQueue
    private let state = Mutex((isCancelled: false, ticket: ChangeBell.Ticket?.none))

    init(_ bell: ChangeBell, on queue: WorkQueue) {
        self.bell = bell
        self.queue = queue
    }

    /// Calls `completion` once, on a thread of the queue: with what `look` found, or with `nil` when
    /// `deadline` has come; not at all after `cancel`.
    func wait<Found: Sendable>(
        until deadline: Duration,
        for look: @escaping @Sendable () throws -> Found?,
        _ completion: @escaping @Sendable (Result<Found?, any Error>) -> Void
    ) {
        queue.async { [self] in
            guard !state.withLock({ $0.isCancelled }) else { return }
            let stroke = bell.stroke
            let outcome = Result { try look() }
            guard case .success(nil) = outcome, bell.clock.now < deadline else {
                return completion(outcome)
            }
            keep(
                bell.wait(behind: stroke, until: deadline) { [self] in
                    wait(until: deadline, for: look, completion)
                }
            )
        }
    }

    /// Ends the wait.
    func cancel() {
        let ticket = state.withLock { state in
            state.isCancelled = true
            return state.ticket
        }
        if let ticket { bell.cancel(ticket) }
    }

    private func keep(_ ticket: ChangeBell.Ticket) {
        let isCancelled = state.withLock { state in
            state.ticket = ticket
            return state.isCancelled
        }
        if isCancelled { bell.cancel(ticket) }
    }
}
