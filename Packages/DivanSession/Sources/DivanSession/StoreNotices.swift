import DivanStore
import Synchronization

/// Changes of the store on their way from the threads that commit to the loop that wants them.
///
/// A burst of commits wakes the loop once.
final class StoreNotices: Sendable {
    private let waiting = Mutex<[StoreChange]>([])

    /// Keeps a change; true when the loop must be woken, because none was waiting before.
    func add(_ change: StoreChange) -> Bool {
        waiting.withLock { waiting in
            waiting.append(change)
            return waiting.count == 1
        }
    }

    /// Takes everything that waits, in order of commit.
    func take() -> [StoreChange] {
        waiting.withLock { waiting in
            defer { waiting.removeAll(keepingCapacity: true) }
            return waiting
        }
    }
}
