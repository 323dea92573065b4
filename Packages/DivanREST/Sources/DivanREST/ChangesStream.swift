import DivanHTTP
import DivanLog
import DivanTransport
import Synchronization

/// Waits for changes behind a sequence: looks, and while there is nothing waits for the bell.
final class ChangesWait: Sendable {
    typealias Outcome = Result<ChangesPage.Changes, any Error>

    private let page: ChangesPage
    private let state = Mutex((isCancelled: false, ticket: ChangeBell.Ticket?.none))

    init(_ page: ChangesPage) {
        self.page = page
    }

    /// Calls `completion` once, on a thread of the queue: with changes, or with none when `deadline` has
    /// come; not at all after `cancel`.
    func changes(
        after sequence: UInt64,
        until deadline: Duration,
        _ completion: @escaping @Sendable (Outcome) -> Void
    ) {
        page.call.queue.async { [self] in
            guard !state.withLock({ $0.isCancelled }) else { return }
            let bell = page.call.bell
            let stroke = bell.stroke
            let outcome = Outcome { try page.read(after: sequence) }
            if case .success(let changes) = outcome, changes.texts.isEmpty,
                bell.clock.now < deadline
            {
                let ticket = bell.wait(behind: stroke, until: deadline) { [self] in
                    self.changes(after: sequence, until: deadline, completion)
                }
                keep(ticket)
            } else {
                completion(outcome)
            }
        }
    }

    /// Ends the wait.
    func cancel() {
        let ticket = state.withLock { state in
            state.isCancelled = true
            return state.ticket
        }
        if let ticket { page.call.bell.cancel(ticket) }
    }

    private func keep(_ ticket: ChangeBell.Ticket) {
        let isCancelled = state.withLock { state in
            state.ticket = ticket
            return state.isCancelled
        }
        if isCancelled { page.call.bell.cancel(ticket) }
    }
}

/// Changes as an event stream, without an end: one event for each, and now and then a line that says
/// nothing.
final class ChangesStream: HTTPBodySource {
    private let page: ChangesPage
    private let wait: ChangesWait
    private let last: Mutex<UInt64>

    init(_ page: ChangesPage, since sequence: UInt64) {
        self.page = page
        wait = ChangesWait(page)
        last = Mutex(sequence)
    }

    func next(_ answer: @escaping @Sendable (HTTPBodyPiece) -> Void) {
        let deadline = page.call.bell.clock.now + page.call.limits.heartbeat
        wait.changes(after: last.withLock { $0 }, until: deadline) { [self] outcome in
            switch outcome {
            case .success(let changes):
                guard let newest = changes.last else { return answer(.bytes(HTTPEvent.heartbeat)) }
                last.withLock { $0 = newest }
                let events = changes.texts.flatMap { sequence, text in
                    HTTPEvent(id: "\(sequence)", name: "change", data: text).bytes
                }
                answer(.bytes(events))
            case .failure(let error):
                Log(.listener).warning("A changes feed ended: \(error)")
                answer(.failed)
            }
        }
    }

    func cancel() {
        wait.cancel()
    }
}
