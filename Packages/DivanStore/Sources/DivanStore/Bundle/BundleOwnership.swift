internal import DivanJSON
import DivanPlatform
internal import DivanSQLiteEngine
internal import Synchronization

/// The files, the lock and the number of owners of a store on disk.
final class BundleOwnership: Sendable {
    let files: BundleFiles
    /// The engine of SQLite; `nil` for a custom engine.
    let sqlite: SQLiteEngine?
    /// The name of a custom engine.
    let engineName: String?
    private let owners: Mutex<Owners>

    private struct Owners {
        var count = 1
        var lock: BundleLock?
    }

    init(files: BundleFiles, sqlite: SQLiteEngine, lock: BundleLock?) {
        self.files = files
        self.sqlite = sqlite
        engineName = nil
        owners = Mutex(Owners(lock: lock))
    }

    init(files: BundleFiles, engineName: String, lock: BundleLock?) {
        self.files = files
        sqlite = nil
        self.engineName = engineName
        owners = Mutex(Owners(lock: lock))
    }

    /// The engine of SQLite, for what only it can do.
    ///
    /// - Throws: `engineUnsupported` for a custom engine.
    func requireSQLite(for feature: String) throws(StoreError) -> SQLiteEngine {
        guard let sqlite else {
            throw StoreError(
                .engineUnsupported(name: engineName ?? "", feature),
                at: files.directory
            )
        }
        return sqlite
    }

    var ownerCount: Int { owners.withLock { $0.count } }

    /// Adds an owner; `false` if the last one has already left.
    func join() -> Bool {
        owners.withLock { owners in
            guard owners.count > 0 else { return false }
            owners.count += 1
            return true
        }
    }

    /// Removes an owner unless it is the last; `false` for the last one, which must close.
    func leaveIfNotLast() -> Bool {
        owners.withLock { owners in
            guard owners.count != 1 else { return false }
            owners.count = max(owners.count - 1, 0)
            return true
        }
    }

    /// Removes an owner; `true` if it was the last.
    func leave() -> Bool {
        owners.withLock { owners in
            guard owners.count > 0 else { return false }
            owners.count -= 1
            return owners.count == 0
        }
    }

    /// Allows other processes to write.
    func unlock() {
        owners.withLock { $0.lock = nil }
    }
}

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
            return stores.reduce(0) { $0 + ($1?.place?.ownerCount ?? 0) }
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
