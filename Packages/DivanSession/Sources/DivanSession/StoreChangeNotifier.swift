import DivanStore
import Synchronization

/// Passes changes of the store from the committing threads to the loop that needs them.
///
/// A burst of commits wakes the loop once. The receiver reads the changes feed, so a notice names no
/// documents, and a waiting one also covers later changes.
///
/// **What bounds it.** The collections of the database, which the application creates: at most three
/// notices wait for each: that this peer changed it, that somebody else did, and that it ended.
final class StoreChangeNotifier: Sendable {
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

    /// Keeps changes with the given origin, the peer's own, separate from others.
    init(own: ChangeOrigin) {
        self.own = own
    }

    /// Adds a change; true when the loop must be woken, because none was waiting before.
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

    /// Takes all waiting changes, in order of commit.
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
