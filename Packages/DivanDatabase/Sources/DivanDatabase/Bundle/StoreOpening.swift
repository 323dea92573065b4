internal import DivanCrypto
import DivanPlatform
internal import DivanRevisions
internal import DivanSQLiteEngine
@_spi(Database) public import DivanStore

extension Store {
    /// Opens the database in a directory named `<name>.cblite2`, or creates it.
    ///
    /// Several owners in a process share the same store, and each closes it once. Only one process at a time can
    /// have a database open for writing.
    ///
    /// - Throws: `StoreError` with `noSuchDatabase`, `notADatabase`, `tooNew`, `corrupt`, `busy`,
    ///   `readOnly`, `diskFull` or `io`.
    public static func open(
        directory: String,
        options: StoreOptions = StoreOptions()
    ) throws(StoreError) -> Store {
        try open(directory: directory, options: options, calls: .system)
    }

    /// Opens the database with replaceable system calls for blobs, for tests.
    static func open(
        directory: String,
        options: StoreOptions,
        calls: BlobCalls
    ) throws(StoreError) -> Store {
        let files = try located(directory, create: options.create && !options.readOnly)
        let entry = StoreRegistry.shared.entry(for: files.directory)
        do {
            let (store, isShared) = try entry.lock.withLock {
                if let store = entry.store(readOnly: options.readOnly),
                    try store.mayBeShared(options), store.bundle?.join() == true
                {
                    return (store, true)
                }
                let store = try opened(files, options, calls)
                if !options.readOnly {
                    try store.renewIndexes()
                    if options.scheme == .vectors { try store.upgradeToVersionVectors() }
                }
                entry.setStore(store, readOnly: options.readOnly)
                return (store, false)
            }
            if isShared, options.fullSync, !options.readOnly { try store.syncFullyOrLeave() }
            return store
        } catch {
            throw StoreError(wrapping: error, at: files.directory)
        }
    }

    /// Whether a database exists, readable or not.
    public static func exists(directory: String) -> Bool {
        guard let files = try? located(directory, create: false) else { return false }
        return isBundle(files)
    }

    /// Whether a database is open in this process.
    public static func isOpen(directory: String) -> Bool {
        guard let files = try? located(directory, create: false) else { return false }
        return StoreRegistry.shared.entry(for: files.directory).ownerCount > 0
    }

    /// Whether there is what `open` takes for a database; a link does not count, as one database would
    /// then have two names.
    private static func isBundle(_ files: BundleFiles) -> Bool {
        StoreFiles.isDirectory(files.directory)
            && (StoreFiles.isFile(files.database) || StoreFiles.isFile(files.engine))
    }

    /// Deletes a database with its blobs, or the rest of a partially deleted database.
    ///
    /// - Throws: `StoreError` with `busy` while it is open in this or another process, `noSuchDatabase`, or `io`.
    public static func delete(directory: String) throws(StoreError) {
        try delete(directory: directory, syncingName: StoreFiles.syncName)
    }

    /// Deletes a database, with a sync function for its directory's name that a test can replace.
    static func delete(
        directory: String,
        syncingName sync: (String) -> Void
    ) throws(StoreError) {
        let files = try named(directory)
        let entry = StoreRegistry.shared.entry(for: files.directory)
        do {
            try entry.lock.withLock {
                guard isBundle(files) else { return try finishDeletion(files, sync) }
                guard entry.ownerCount == 0 else {
                    throw StoreError(
                        .busy(.thisProcess(ownerCount: entry.ownerCount)),
                        at: directory
                    )
                }
                let lock = try BundleLock(at: files.lock, of: files.directory)
                try withExtendedLifetime(lock) {
                    if StoreFiles.exists(files.abandoned) {
                        try StoreFiles.removeDirectory(files.abandoned)
                    }
                    // Renamed first, also on the disk: a crash leaves no database that looks complete.
                    try StoreFiles.move(files.directory, to: files.abandoned)
                    sync(files.directory)
                    try StoreFiles.removeDirectory(files.abandoned)
                }
            }
        } catch {
            throw StoreError(wrapping: error, at: directory)
        }
    }

    private static func finishDeletion(
        _ files: BundleFiles,
        _ sync: (String) -> Void
    ) throws {
        guard !StoreFiles.exists(files.directory), StoreFiles.isDirectory(files.abandoned) else {
            throw StoreError(.noSuchDatabase, at: files.directory)
        }
        // A killed process may not have got that far.
        sync(files.directory)
        try StoreFiles.removeDirectory(files.abandoned)
    }

    /// Copies a database and its blobs.
    ///
    /// The copy is a separate database with its own UUIDs. The database may be open in the meantime; the copy
    /// contains everything committed when copying began. An encrypted database and its copy have the key of
    /// `sealing`; if bodies are compressed, `packing` must include the codecs.
    ///
    /// - Throws: `StoreError`, `alreadyExists` if `target` exists.
    public static func copy(
        directory source: String,
        to target: String,
        sealing: (any StoreSealing)? = nil,
        packing: BodyPacking = .none
    ) throws(StoreError) {
        var options = StoreOptions(create: false, sealing: sealing, packing: packing)
        let store: Store
        do {
            store = try open(directory: source, options: options)
        } catch  where error.code == .busy(.otherProcess) || error.code == .readOnly {
            options.readOnly = true
            store = try open(directory: source, options: options)
        }
        defer { try? store.close() }
        try store.copy(to: target)
    }

    /// The number of owners of the file in this process, for writing and for reading.
    public var fileOwnerCount: Int {
        guard let bundle else { return 1 }
        return StoreRegistry.shared.entry(for: bundle.directory).ownerCount
    }

    /// Closes the store and deletes its files.
    ///
    /// - Throws: `StoreError` with `busy` if it has other owners. It then stays open.
    public func delete() throws(StoreError) {
        guard let bundle else { return try close() }
        guard fileOwnerCount <= 1 else {
            throw StoreError(
                .busy(.thisProcess(ownerCount: fileOwnerCount)),
                at: bundle.directory
            )
        }
        try close()
        try Store.delete(directory: bundle.directory)
    }

    /// Creates an empty database that replaces a database of another kind, and opens it.
    ///
    /// - Throws: `alreadyExists` if `directory` exists, and the errors of `open`.
    public static func create(
        directory: String,
        replacing identity: ForeignIdentity,
        options: StoreOptions = StoreOptions()
    ) throws(StoreError) -> Store {
        do {
            try makeBundle(at: directory, as: identity.stored, sealing: options.sealing)
        } catch {
            throw StoreError(wrapping: error, at: directory)
        }
        return try open(directory: directory, options: options)
    }

    // MARK: Steps

    /// Creates an empty database where nothing exists.
    static func makeBundle(
        at directory: String,
        as identity: StoreIdentity,
        sealing: (any StoreSealing)?
    ) throws {
        let files = try located(directory, create: true)
        guard Bundle.isFree(files) else { throw StoreError(.alreadyExists, at: directory) }
        let lock = try Bundle.create(files, as: identity, sealing: sealing)
        withExtendedLifetime(lock) {}
    }

    /// The files of a database whose directory exists or can be created.
    static func located(_ directory: String, create: Bool) throws(StoreError) -> BundleFiles {
        let files = try named(directory, makesParents: create)
        guard create || StoreFiles.exists(files.directory) else {
            throw StoreError(.noSuchDatabase, at: directory)
        }
        return files
    }

    /// The files of a database, existing or not, with links resolved in all but the last part of the
    /// path, so that one database has one path.
    private static func named(
        _ directory: String,
        makesParents: Bool = false
    ) throws(StoreError) -> BundleFiles {
        var path = directory
        while path.utf8.count > 1, path.utf8.last == UInt8(ascii: "/") {
            path.unicodeScalars.removeLast()
        }
        let (written, name) = StoreFiles.split(path)
        guard !name.isEmpty, name != ".", name != ".." else {
            throw StoreError(.noSuchDatabase, at: directory)
        }
        let parent = written ?? "."
        if makesParents { try StoreFiles.makeDirectories(parent) }
        guard let realParent = try? FileSystem.realPath(parent) else {
            throw StoreError(.noSuchDatabase, at: directory)
        }
        let prefix = realParent == "/" ? "/" : realParent + "/"
        return BundleFiles(directory: prefix + name)
    }

    private static func opened(
        _ files: BundleFiles,
        _ options: StoreOptions,
        _ calls: BlobCalls
    ) throws -> Store {
        if let engine = options.engine { return try opened(files, engine, options, calls) }
        var lock: BundleLock?
        if options.create, !options.readOnly, Bundle.isFree(files) {
            lock = try Bundle.create(
                files,
                random: SystemRandomSource(),
                sealing: options.sealing
            )
        }
        try Bundle.verify(files)
        if lock == nil, !options.readOnly {
            lock = try BundleLock(at: files.lock, of: files.directory)
            try Rekeying(files).recover()
        }
        let engine = try SQLiteEngine(
            DatabaseFileLocation(
                files.database,
                sealing: options.sealing,
                packing: options.packing
            ),
            isReadOnly: options.readOnly,
            syncsFully: options.fullSync
        )
        let identity = try StoreIdentity(of: engine, random: SystemRandomSource())
        let blobs = try BlobStore(
            directory: Rekeying(files).blobs,
            isReadOnly: options.readOnly,
            sealing: options.sealing,
            calls: calls
        )
        return Store(
            engine: engine,
            blobs: blobs,
            identity: identity,
            archive: options.archive,
            place: BundleOwnership(files: files, sqlite: engine, lock: lock),
            observers: StoreRegistry.shared.entry(for: files.directory).observers
        )
    }

    /// Whether another owner gets what it asks for: the naming of documents never changes while an
    /// owner has them open.
    ///
    /// - Throws: `busy` if the database would have to be upgraded.
    private func mayBeShared(_ options: StoreOptions) throws(StoreError) -> Bool {
        guard bundle?.engineName == options.engine?.name || ownerCount == 0 else {
            let name = bundle?.engineName ?? "of SQLite"
            throw StoreError(
                .notADatabase("already open with the engine \(name)"),
                at: directory ?? ""
            )
        }
        let isAlike =
            switch (bundle?.sqlite?.place.storeSealing, options.sealing) {
            case (nil, nil): true
            case (let mine?, let given?): mine.hasSameKey(as: given)
            default: false
            }
        guard isAlike || ownerCount == 0 else {
            throw StoreError(.notADatabase("already open with another key"), at: directory ?? "")
        }
        guard options.scheme == .vectors, scheme != .vectors, ownerCount > 0 else { return true }
        throw StoreError(.busy(.thisProcess(ownerCount: ownerCount)), at: directory ?? "")
    }

    /// Not called while the database is being looked up: a thread that writes may be opening it, too.
    private func syncFullyOrLeave() throws {
        do {
            try outsideWrites { try engine.syncFully() }
        } catch {
            try? close()
            throw error
        }
    }

    private func copy(to target: String) throws(StoreError) {
        guard let bundle else { throw StoreError(.noSuchDatabase) }
        let sqlite = try bundle.requireSQLite(for: "copies")
        let files = try Self.located(target, create: true)
        guard !StoreFiles.exists(files.directory) else {
            throw StoreError(.alreadyExists, at: target)
        }
        do {
            // Nobody in this process writes or compacts in the meantime.
            try withoutOtherWriters {
                if !isReadOnly { try blobs.settle() }
                let identity = try StoreIdentity(of: engine, random: SystemRandomSource())
                // After a crash while the key was changed they are elsewhere, where read-only use finds them.
                _ = try Bundle.copy(
                    sqlite,
                    withBlobs: Rekeying(bundle.files).blobs,
                    to: files,
                    as: identity.copied(random: SystemRandomSource())
                )
            }
        } catch {
            throw StoreError(wrapping: error, at: target)
        }
    }
}
