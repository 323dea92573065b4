import DivanTransport
import Synchronization

/// The result of looking for changes.
enum ChangePollResult<Found> {
    case found(Found)
    /// There is nothing until the notifier reports a change.
    case nothing
    /// There may be something: only a part was examined.
    case unfinished
}

/// Waits for something in a database: looks, and if there is nothing, waits for a change.
final class ChangeWait: Sendable {
    let notifier: ChangeNotifier
    private let queue: WorkQueue
    private let state = Mutex((isCancelled: false, ticket: ChangeNotifier.Ticket?.none))

    init(_ notifier: ChangeNotifier, on queue: WorkQueue) {
        self.notifier = notifier
        self.queue = queue
    }

    /// Calls `completion` once, on a thread of the queue: with what `look` found, or with `nil` at `deadline`; not at
    /// all after `cancel`.
    func wait<Found: Sendable>(
        until deadline: Duration,
        for look: @escaping @Sendable () throws -> ChangePollResult<Found>,
        _ completion: @escaping @Sendable (Result<Found?, any Error>) -> Void
    ) {
        queue.async { [self] in
            guard !state.withLock({ $0.isCancelled }) else { return }
            let position = notifier.position
            let outcome = Result { try look() }
            switch outcome {
            case .failure(let error): completion(.failure(error))
            case .success(.found(let found)): completion(.success(found))
            case .success where notifier.clock.now >= deadline: completion(.success(nil))
            // Queues up behind others that need a thread.
            case .success(.unfinished): wait(until: deadline, for: look, completion)
            case .success(.nothing):
                keep(
                    notifier.wait(after: position, until: deadline) { [self] in
                        wait(until: deadline, for: look, completion)
                    }
                )
            }
        }
    }

    /// Ends the wait.
    func cancel() {
        let ticket = state.withLock { state in
            state.isCancelled = true
            return state.ticket
        }
        if let ticket { notifier.cancel(ticket) }
    }

    /// Records the ticket for `cancel`; an earlier one may come late, once the notifier has called for it.
    func keep(_ ticket: ChangeNotifier.Ticket) {
        let isCancelled = state.withLock { state in
            if state.ticket.map({ $0.number < ticket.number }) ?? true { state.ticket = ticket }
            return state.isCancelled
        }
        if isCancelled { notifier.cancel(ticket) }
    }
}
