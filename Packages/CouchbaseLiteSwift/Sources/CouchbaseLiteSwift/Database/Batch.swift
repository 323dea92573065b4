import DivanDatabase
import Synchronization

/// An outermost `inBatch` of a file: what must be put right if it is rolled back.
final class Batch: Sendable {
    private let undone = Atomic(false)
    private let changesExpiration = Atomic(false)
    private let collections = Mutex(Collections())

    private struct Collections {
        var begun: [CollectionID] = []
        var ended: [CollectionID] = []
    }

    /// Whether the batch is over and none of it was stored.
    var isUndone: Bool { undone.load(ordering: .acquiring) }

    /// Notes that a collection is created if the batch is committed.
    func noteBegin(of number: CollectionID) {
        collections.withLock { $0.begun.append(number) }
    }

    /// Notes that a collection is deleted if the batch is committed.
    func noteEnd(of number: CollectionID) {
        collections.withLock { $0.ended.append(number) }
    }

    /// The collections that were created.
    var begun: [CollectionID] { collections.withLock { $0.begun } }
    /// The collections that were deleted.
    var ended: [CollectionID] { collections.withLock { $0.ended } }

    /// Notes that a document may expire earlier than any before if the batch is committed.
    func noteExpiration() {
        changesExpiration.store(true, ordering: .relaxed)
    }

    /// Whether a document may expire earlier than any before.
    var mayExpireEarlier: Bool { changesExpiration.load(ordering: .relaxed) }

    /// Returns every document that was saved in the batch to its previous state.
    func undo() {
        undone.store(true, ordering: .releasing)
    }
}
