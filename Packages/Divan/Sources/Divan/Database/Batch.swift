import DivanStore
import Synchronization

/// An outermost `inBatch` of a file: what has to be put right when it is undone.
final class Batch: Sendable {
    private let undone = Atomic(false)
    private let changesExpiration = Atomic(false)
    private let collections = Mutex(Collections())

    /// Which collection, of those that have had a name.
    typealias NumberedPath = (path: CollectionPath, number: CollectionID)

    private struct Collections {
        var begun: [NumberedPath] = []
        var ended: [NumberedPath] = []
    }

    /// Whether the batch is over and nothing of it was stored.
    var isUndone: Bool { undone.load(ordering: .acquiring) }

    /// Notes that a collection is made, if the batch is committed.
    func noteBegin(of path: CollectionPath, _ number: CollectionID) {
        collections.withLock { $0.begun.append((path, number)) }
    }

    /// Notes that a collection is deleted, if the batch is committed.
    func noteEnd(of path: CollectionPath, _ number: CollectionID) {
        collections.withLock { $0.ended.append((path, number)) }
    }

    /// The collections that were made.
    var begun: [NumberedPath] { collections.withLock { $0.begun } }
    /// The collections that were deleted.
    var ended: [NumberedPath] { collections.withLock { $0.ended } }

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
