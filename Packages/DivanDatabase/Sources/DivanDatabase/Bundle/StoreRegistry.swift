internal import DivanJSON
import DivanPlatform
@_spi(Database) internal import DivanStore
internal import Synchronization

/// The stores that are open in this process, one for each file.
final class StoreRegistry: Sendable {
    static let shared = StoreRegistry()

    /// One path's store, and the lock under which it is opened and closed.
    final class Entry: Sendable {
        let lock = RecursiveLock()
        /// The observers of commits, including those registered through the read-only store.
        let observers = StoreObservers()
        private let known = Mutex(WeakStores())

        private struct WeakStores {
            weak var writable: Store?
            weak var readOnly: Store?
        }

        func store(readOnly: Bool) -> Store? {
            known.withLock { readOnly ? $0.readOnly : $0.writable }
        }

        func setStore(_ store: Store?, readOnly: Bool) {
            known.withLock { known in
                if readOnly {
                    known.readOnly = store
                } else {
                    known.writable = store
                }
            }
        }

        /// Owners of the file in this process, including readers.
        var ownerCount: Int {
            let stores = known.withLock { [$0.writable, $0.readOnly] }
            return stores.reduce(0) { $0 + ($1?.ownerCount ?? 0) }
        }
    }

    // Keyed by the path's bytes, as the file system distinguishes directories.
    private let entries = Mutex<[ExactText: Entry]>([:])

    func entry(for path: String) -> Entry {
        entries.withLock { entries in
            if let entry = entries[ExactText(path)] { return entry }
            let entry = Entry()
            entries[ExactText(path)] = entry
            return entry
        }
    }
}
