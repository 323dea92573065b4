import DivanStore
import Synchronization

/// An outermost `inBatch` of a file: what has to be put right when it is undone.
final class Batch: Sendable {
    private let undone = Atomic(false)
    private let changesExpiration = Atomic(false)
    private let ended = Mutex<[(path: CollectionPath, life: CollectionLife)]>([])

    /// Whether the batch is over and nothing of it was stored.
    var isUndone: Bool { undone.load(ordering: .acquiring) }

    /// Notes that a collection is deleted, if the batch is committed.
    func end(_ life: CollectionLife, of path: CollectionPath) {
        ended.withLock { $0.append((path, life)) }
    }

    /// The collections that were deleted.
    func takeEnded() -> [(path: CollectionPath, life: CollectionLife)] {
        ended.withLock { ended in
            defer { ended = [] }
            return ended
        }
    }

    /// Notes that a document may expire earlier than any before, if the batch is committed.
    func noteExpiration() {
        changesExpiration.store(true, ordering: .relaxed)
    }

    /// Whether a document may expire earlier than any before.
    var mayExpireEarlier: Bool { changesExpiration.load(ordering: .relaxed) }

    /// Every document that was saved in the batch is again what it was before.
    func undo() {
        undone.store(true, ordering: .releasing)
    }
}
