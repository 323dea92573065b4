import DivanTransport
import Synchronization

/// What was found by looking for changes.
enum ChangeLook<Found> {
    case found(Found)
    /// There is nothing until the bell rings.
    case nothing
    /// There may be something: the look has seen a part of what is there.
    case unfinished
}

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
        for look: @escaping @Sendable () throws -> ChangeLook<Found>,
        _ completion: @escaping @Sendable (Result<Found?, any Error>) -> Void
    ) {
        queue.async { [self] in
            guard !state.withLock({ $0.isCancelled }) else { return }
            let stroke = bell.stroke
            let outcome = Result { try look() }
            switch outcome {
            case .failure(let error): completion(.failure(error))
            case .success(.found(let found)): completion(.success(found))
            case .success where bell.clock.now >= deadline: completion(.success(nil))
            // Behind the others that want a thread.
            case .success(.unfinished): wait(until: deadline, for: look, completion)
            case .success(.nothing):
                keep(
                    bell.wait(behind: stroke, until: deadline) { [self] in
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
        if let ticket { bell.cancel(ticket) }
    }

    /// Notes which ticket `cancel` gives back; an earlier one may come late, once the bell has rung for it.
    func keep(_ ticket: ChangeBell.Ticket) {
        let isCancelled = state.withLock { state in
            if state.ticket.map({ $0.number < ticket.number }) ?? true { state.ticket = ticket }
            return state.isCancelled
        }
        if isCancelled { bell.cancel(ticket) }
    }
}
