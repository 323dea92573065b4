import DivanPlatform
internal import DivanSQLiteEngine
@_spi(Database) internal import DivanStore
internal import Synchronization

/// The files, the lock and the number of owners of a store on disk.
final class BundleOwnership: StorePlace {
    let files: BundleFiles
    /// The store's engine.
    private let engine: any StorageEngine
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
        engine = sqlite
        self.sqlite = sqlite
        engineName = nil
        owners = Mutex(Owners(lock: lock))
    }

    init(
        files: BundleFiles,
        engine: any StorageEngine,
        named engineName: String,
        lock: BundleLock?
    ) {
        self.files = files
        self.engine = engine
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

    var directory: String { files.directory }

    var byteCounts: (file: Int, log: Int) {
        (
            Int(StoreFiles.byteCount(files.database)), Int(StoreFiles.byteCount(files.log))
        )
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
    private func leaveIfNotLast() -> Bool {
        owners.withLock { owners in
            guard owners.count != 1 else { return false }
            owners.count = max(owners.count - 1, 0)
            return true
        }
    }

    /// Removes an owner; `true` if it was the last.
    private func leave() -> Bool {
        owners.withLock { owners in
            guard owners.count > 0 else { return false }
            owners.count -= 1
            return owners.count == 0
        }
    }

    func leave(_ store: Store) throws(StoreError) {
        if leaveIfNotLast() { return }
        store.startedWork?.close(waits: !store.isWriting)
        let entry = StoreRegistry.shared.entry(for: directory)
        // In this order everywhere: inside a write, the same database may be opened or closed.
        store.withoutOtherWriters {
            entry.lock.withLock {
                guard leave() else {
                    if ownerCount > 0 { store.startedWork?.reopen() }
                    return
                }
                store.startedWork?.close(waits: false)
                try? store.blobs.settle()
                try? store.engine.file?.optimize(isThorough: false)
                store.engine.close()
                // Allows other processes to write.
                owners.withLock { $0.lock = nil }
                if entry.store(readOnly: store.isReadOnly) === store {
                    entry.setStore(nil, readOnly: store.isReadOnly)
                }
            }
        }
    }

    func syncCommits() throws(StoreError) {
        guard sqlite != nil else { return try engine.makeDurable() }
        do throws(StoreError) {
            // What is no longer in the log was synced when it was copied. SQLite takes no locks on it.
            try StoreFiles.syncFile(files.log)
        } catch  where error.code == .io(.noSuchFileOrDirectory) {}
    }
}

extension Store {
    /// The files and owners of a store that was opened in a directory.
    var bundle: BundleOwnership? { place as? BundleOwnership }
}
