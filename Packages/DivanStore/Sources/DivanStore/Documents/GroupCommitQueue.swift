internal import DivanRevisions
internal import Synchronization

/// Saves of several threads that wait for the writer; the next thread to write stores them all.
///
/// One commit costs as much as a few documents, and with `fullSync` as much as many. So a thread
/// that waits hands over its save: whichever thread gets in first stores everything that is waiting
/// in one transaction, and the others find their work done. Only saves are grouped: they run no
/// application code, which might wait for the very thread that waits for it.
final class GroupCommitQueue: Sendable {
    /// One thread's save.
    ///
    /// Sendable although it is mutable: only the thread that holds the store's `writing` lock
    /// touches `result`, and the waiting thread also reads it under that lock.
    final class Ticket: @unchecked Sendable {
        let revision: LocalRevision
        let collection: CollectionPath
        /// Which of the collections with that name; `nil` means any.
        let number: CollectionID?
        fileprivate(set) var result: Result<Outcome, any Error>?

        fileprivate init(
            _ revision: LocalRevision,
            in collection: CollectionPath,
            numbered number: CollectionID?
        ) {
            self.revision = revision
            self.collection = collection
            self.number = number
        }
    }

    struct Outcome {
        let outcome: SaveOutcome
        /// What to report to observers, if anything was changed.
        let change: StoreChange?
    }

    private let waiting = Mutex<[Ticket]>([])

    func add(
        _ revision: LocalRevision,
        in collection: CollectionPath,
        numbered number: CollectionID?
    ) -> Ticket {
        let ticket = Ticket(revision, in: collection, numbered: number)
        waiting.withLock { $0.append(ticket) }
        return ticket
    }

    /// Removes and returns the tickets of the next transaction, oldest first.
    func take() -> [Ticket] {
        waiting.withLock { waiting in
            let taken = waiting.prefix(StoreLimits.groupedSaveCount)
            waiting.removeFirst(taken.count)
            return Array(taken)
        }
    }
}

extension GroupCommitQueue.Ticket {
    func finish(_ result: Result<GroupCommitQueue.Outcome, any Error>) {
        self.result = result
    }
}

extension StoreWriter {
    func save(_ ticket: GroupCommitQueue.Ticket) throws(StoreError) -> GroupCommitQueue.Outcome {
        try require(ticket.collection, numbered: ticket.number)
        let countBefore = changeCount
        let outcome = try save(ticket.revision, in: ticket.collection)
        guard case .saved(let document) = outcome, changeCount != countBefore else {
            return GroupCommitQueue.Outcome(outcome: outcome, change: nil)
        }
        let change = DocumentChange(
            documentID: ticket.revision.documentID,
            sequence: document.sequence
        )
        return GroupCommitQueue.Outcome(
            outcome: outcome,
            change: StoreChange(
                collection: ticket.collection,
                number: try collection(ticket.collection).id,
                changes: [change],
                origin: .local
            )
        )
    }
}
