import Dispatch
import DivanRevisions
import DivanStore
import Synchronization

/// What all `Database` objects of one file share: the store, the lives of its collections, its
/// cookies, and the timer that purges expired documents.
final class DatabaseFile: Sendable {
    let store: Store
    /// Where the calls of `async` code run.
    let background = DispatchQueue(label: "divan.background")
    /// The cookies that servers set.
    let cookies = CookieShelf()
    private let expiration: ExpirationTimer
    private let lives = Mutex<[CollectionPath: CollectionLife]>([:])
    /// The listeners of each owner, to be told when a collection ends.
    private let audiences = Mutex<[WeakChanges]>([])

    /// The outermost batch that runs; only its own thread may see it.
    private let batch = Mutex<Batch?>(nil)

    private struct WeakFile {
        weak var file: DatabaseFile?
    }

    private struct WeakChanges {
        weak var changes: DatabaseChanges?
    }

    private static let known = Mutex<[ObjectIdentifier: WeakFile]>([:])

    private init(_ store: Store) {
        self.store = store
        expiration = ExpirationTimer(store)
    }

    /// Opens a file for one more owner, or creates it; each owner calls `close()` once.
    static func open(
        _ location: DatabaseLocation,
        _ configuration: DatabaseConfiguration
    ) throws -> DatabaseFile {
        let store = try translatingErrors {
            try ForeignBundle.noticing(location.bundlePath) {
                try Store.open(
                    directory: location.bundlePath,
                    options: try configuration.storeOptions()
                )
            }
        }
        let file = known.withLock { known in
            if let file = known[ObjectIdentifier(store)]?.file { return file }
            known = known.filter { $0.value.file != nil }
            let file = DatabaseFile(store)
            known[ObjectIdentifier(store)] = WeakFile(file: file)
            return file
        }
        if !configuration.readOnly { file.expiration.schedule() }
        return file
    }

    /// An empty one in memory, for one owner.
    static func inMemory(_ configuration: DatabaseConfiguration) -> DatabaseFile {
        DatabaseFile(
            Store.inMemory(
                archive: configuration.revisionCompression.archive,
                scheme: configuration.revisionScheme?.storeScheme ?? .trees
            )
        )
    }

    /// Ends one owner's use.
    func close() throws {
        try store.close()
        if store.ownerCount == 0 || store.directory == nil { expiration.stop() }
    }

    /// Deletes the file.
    ///
    /// - Throws: `StoreError` with `busy` when it has other owners.
    func delete() throws {
        try store.delete()
        expiration.stop()
        for life in lives.withLock({ $0.values }) { life.end() }
    }

    /// The life of a collection that exists.
    func life(of path: CollectionPath) -> CollectionLife {
        lives.withLock { lives in
            if let life = lives[path] { return life }
            let life = CollectionLife()
            lives[path] = life
            return life
        }
    }

    /// Remembers the listeners of an owner for as long as they live.
    func add(_ changes: DatabaseChanges) {
        audiences.withLock { audiences in
            audiences.removeAll { $0.changes == nil }
            audiences.append(WeakChanges(changes: changes))
        }
    }

    /// Makes every object of a collection dead and ends its listeners: it was deleted.
    ///
    /// Inside a batch that waits until the batch is committed.
    func endLife(of path: CollectionPath) {
        guard let life = lives.withLock({ $0.removeValue(forKey: path) }) else { return }
        if let runningBatch { runningBatch.end(life, of: path) } else { end(life) }
    }

    private func end(_ life: CollectionLife) {
        life.end()
        for audience in audiences.withLock({ $0 }) { audience.changes?.end(life) }
    }

    // MARK: Batches

    /// The batch that runs on this thread.
    var runningBatch: Batch? { store.isWriting ? batch.withLock { $0 } : nil }

    /// Runs `block` in one transaction; documents and collections are afterwards what the file says.
    func inBatch(_ block: () throws -> Void) throws {
        let began = Batch()
        do {
            try store.write { _ in
                guard runningBatch == nil else { return try block() }
                batch.withLock { $0 = began }
                defer { batch.withLock { $0 = nil } }
                try block()
            }
            for (_, life) in began.takeEnded() { end(life) }
            if began.mayExpireEarlier { expiration.schedule() }
        } catch {
            began.undo()
            // From the last to the first, which is the one that stands.
            for (path, life) in began.takeEnded().reversed() {
                lives.withLock { $0.updateValue(life, forKey: path) }?.end()
            }
            throw error
        }
    }

    /// Takes note that a document may expire earlier than any before.
    ///
    /// Inside a batch that waits until the batch is committed: nobody else sees it before.
    func expirationDidChange() {
        if let runningBatch { runningBatch.noteExpiration() } else { expiration.schedule() }
    }
}
