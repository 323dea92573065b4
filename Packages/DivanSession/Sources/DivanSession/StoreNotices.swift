import DivanStore
import Synchronization

/// Changes of the store on their way from the threads that commit to the loop that wants them.
///
/// A burst of commits wakes the loop once. Who is told reads the changes feed, so a notice names no
/// documents, and one that waits stands for those behind it.
///
/// **What bounds it.** The collections of the database, which the application makes: at most three
/// notices for each wait, that this peer changed it, that somebody else did, and that it ended.
final class StoreNotices: Sendable {
    private struct Waiting {
        var changes: [StoreChange] = []
        var known: Set<Key> = []
    }

    private struct Key: Hashable {
        var collection: CollectionPath
        var isOwn: Bool
        var endsCollection: Bool
    }

    private let own: ChangeOrigin
    private let waiting = Mutex(Waiting())

    /// Keeps changes apart that have the given origin, which is the peer's.
    init(own: ChangeOrigin) {
        self.own = own
    }

    /// Keeps a change; true when the loop must be woken, because none was waiting before.
    func add(_ change: StoreChange) -> Bool {
        let isOwn = change.origin == own
        let key = Key(
            collection: change.collection,
            isOwn: isOwn,
            endsCollection: change.endsCollection
        )
        return waiting.withLock { waiting in
            guard waiting.known.insert(key).inserted else { return false }
            let notice = StoreChange(
                collection: change.collection,
                changes: [],
                origin: isOwn ? own : .local,
                endsCollection: change.endsCollection
            )
            waiting.changes.append(notice)
            return waiting.changes.count == 1
        }
    }

    /// Takes everything that waits, in order of commit.
    func take() -> [StoreChange] {
        waiting.withLock { waiting in
            defer {
                waiting.changes.removeAll(keepingCapacity: true)
                waiting.known.removeAll(keepingCapacity: true)
            }
            return waiting.changes
        }
    }
}
