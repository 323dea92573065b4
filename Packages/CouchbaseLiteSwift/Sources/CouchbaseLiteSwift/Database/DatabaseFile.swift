import Dispatch
import DivanDatabase
import DivanRevisions
import Synchronization

/// What all `Database` objects of one file share: the store, the lives of its collections, its
/// cookies, and the timer that purges expired documents.
final class DatabaseFile: Sendable {
    let store: Store
    /// Where the calls of `async` code run.
    let background = DispatchQueue(label: "divan.background")
    /// The cookies set by servers.
    let cookies = SharedCookieJar()
    private let expiration: ExpirationTimer
    private let lives = CollectionLifetimes()
    /// The listeners of each owner, which are notified when a collection ends.
    private let audiences = Mutex<[WeakChanges]>([])

    /// The running outermost batch; only its own thread may see it.
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

    /// Opens or creates a file for one more owner; each owner calls `close()` once.
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

    /// Creates an empty one in memory, for one owner.
    ///
    /// - Throws: `invalidParameter` for invalid codecs, and the errors of a custom engine.
    static func inMemory(_ configuration: DatabaseConfiguration) throws -> DatabaseFile {
        try translatingErrors {
            let archive = try configuration.archive()
            _ = try configuration.packing()
            let scheme = configuration.revisionScheme?.storeScheme
            guard let engine = configuration.engine else {
                return DatabaseFile(Store.inMemory(archive: archive, scheme: scheme ?? .trees))
            }
            return DatabaseFile(
                try Store.inMemory(engine: engine, archive: archive, scheme: scheme)
            )
        }
    }

    /// Ends one owner's use.
    func close() throws {
        try store.close()
        if store.ownerCount == 0 || store.directory == nil { expiration.stop() }
    }

    /// Deletes the files of a store that its last owner has closed.
    ///
    /// - Throws: `StoreError` with `busy` when it has been opened again.
    func deleteFiles() throws {
        if let directory = store.directory { try Store.delete(directory: directory) }
        lives.end()
    }

    // MARK: Collections

    /// The life of the default collection, which outlives all others.
    var defaultLife: CollectionLifetime { lives.ofDefault }

    /// The life of an existing collection; `nil` if none has the name.
    func life(of path: CollectionPath) throws -> CollectionLifetime? {
        try store.read { try $0.collectionNumber(path) }.map { lives[path, $0] }
    }

    /// The lives of all collections visible to a reader, in order of creation.
    func lives(
        in reader: StoreReader
    ) throws -> [(path: CollectionPath, life: CollectionLifetime)] {
        try reader.collections().compactMap { path in
            try reader.collectionNumber(path).map { (path, lives[path, $0]) }
        }
    }

    /// The life of the collection in which something changed, if there is an object for it.
    func life(of change: StoreChange) -> CollectionLifetime? {
        lives.known(change.collection, change.number)
    }

    /// Creates a collection if there is none, and returns its life.
    func createCollection(_ path: CollectionPath) throws -> CollectionLifetime {
        let (number, isNew) = try store.write { writer in
            let before = try writer.collectionNumber(path)
            try writer.createCollection(path)
            return (try before ?? writer.collectionNumber(path), before == nil)
        }
        guard let number else { return defaultLife }
        if isNew { runningBatch?.noteBegin(of: number) }
        return lives[path, number]
    }

    /// Removes a collection, invalidates all of its objects and ends its listeners.
    ///
    /// Inside a batch its objects stay valid until the batch is committed.
    func deleteCollection(_ path: CollectionPath) throws {
        let number = try store.write { writer in
            let number = try writer.collectionNumber(path)
            try writer.deleteCollection(path)
            return number
        }
        guard let number else { return }
        if let runningBatch {
            runningBatch.noteEnd(of: number)
        } else {
            notify(lives.end(number))
        }
    }

    /// Remembers the listeners of an owner for as long as they live.
    func add(_ changes: DatabaseChanges) {
        audiences.withLock { audiences in
            audiences.removeAll { $0.changes == nil }
            audiences.append(WeakChanges(changes: changes))
        }
    }

    /// Ends the listeners of a life that has ended.
    private func notify(_ life: CollectionLifetime?) {
        guard let life else { return }
        for audience in audiences.withLock({ $0 }) { audience.changes?.end(life) }
    }

    // MARK: Batches

    /// The batch running on this thread.
    var runningBatch: Batch? { store.isWriting ? batch.withLock { $0 } : nil }

    /// Runs `block` in one transaction; afterwards documents and collections match the file.
    func inBatch(_ block: () throws -> Void) throws {
        let began = Batch()
        var isBlockOver = false
        func run() throws { try BatchBlock.run(block) }
        do {
            try store.write { _ in
                guard runningBatch == nil else { return try run() }
                batch.withLock { $0 = began }
                defer { batch.withLock { $0 = nil } }
                do {
                    try run()
                    isBlockOver = true
                } catch {
                    // Before others can create collections, which would get the same numbers.
                    for number in began.begun { notify(lives.undo(number)) }
                    throw error
                }
            }
            for number in began.ended { notify(lives.end(number)) }
            if began.mayExpireEarlier { expiration.schedule() }
        } catch {
            began.undo()
            if isBlockOver { for number in began.begun { notify(lives.undo(number)) } }
            throw error
        }
    }

    /// Notes that a document may expire earlier than any before.
    ///
    /// Inside a batch this takes effect on commit: other threads do not see the change before.
    func expirationDidChange() {
        if let runningBatch { runningBatch.noteExpiration() } else { expiration.schedule() }
    }
}
