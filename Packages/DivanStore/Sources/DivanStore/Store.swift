public import DivanCrypto
public import DivanDelta
internal import DivanLog
internal import DivanMemoryEngine
import DivanPlatform
public import DivanRevisions
internal import Synchronization

/// A database without directories, queries and the public API: collections of documents with revision trees, blobs, checkpoints, and change
/// notifications.
///
/// DivanDatabase opens stores in directories: a process has one `Store` per file, shared by all owners. Any thread can read and write. Writes wait for each
/// other; reads do not wait.
///
/// Source: `behaviour.md` §2, §15, §16; `revisions.md` §4, §5.
public final class Store: Sendable {
    /// The bundle's directory with symbolic links resolved; `nil` for a store in memory.
    public let directory: String?
    /// The blobs that documents refer to by digest.
    public let blobs: BlobStore
    /// 16 bytes that identify the database to peers; a copy gets a new UUID.
    public let publicUUID: [UInt8]
    /// 16 bytes that are part of the names of checkpoints; a copy gets a new UUID.
    public let privateUUID: [UInt8]
    /// The private UUID of the database that this one was copied from.
    public let previousPrivateUUID: [UInt8]?

    /// Stores the rows.
    @_spi(Database) public let engine: any StorageEngine
    /// The store's files and owners; `nil` for a store in memory.
    @_spi(Database) public let place: (any StorePlace)?
    let authorship: Authorship
    private let archive: BodyArchive
    let writing = RecursiveLock()
    private let observers: StoreObservers
    private let savings = GroupCommitQueue()
    let deltaSources = DeltaSources()
    /// Loaded with the first checkpoint of a peer.
    let checkpointOwners = Mutex<CheckpointQuota?>(nil)
    let expirations = Mutex(NextExpiration())
    let transactionCount = Atomic(0)
    let hasWriter = Atomic(false)
    let background = Mutex<(any StoreBackgroundWork)?>(nil)
    private let hasToldOfUnsentKey = Atomic(false)
    // Accessed only by the thread that holds `writing`.
    nonisolated(unsafe) private var openWriter: StoreWriter?

    /// Creates a store that uses an engine.
    ///
    /// - Parameters:
    ///   - engine: Stores the rows.
    ///   - blobs: The blobs that the documents reference; by default empty and in memory.
    ///   - archive: How bodies that are not current are stored.
    ///   - random: Generates the UUIDs of a new database, and a new source if another database has the same
    ///     source.
    ///   - wallTime: Nanoseconds since 1970, for the clock of version vectors; `nil` means the system's clock.
    /// - Throws: The errors of the engine when it reads the database's UUIDs.
    public convenience init(
        engine: any StorageEngine,
        blobs: BlobStore = BlobStore(BlobMemory()),
        archive: BodyArchive = .deltas,
        random: any RandomSource = SystemRandomSource(),
        wallTime: (@Sendable () -> UInt64)? = nil
    ) throws {
        let identity = try StoreIdentity(of: engine, random: random)
        self.init(
            engine: engine,
            blobs: blobs,
            identity: identity,
            archive: archive,
            place: nil,
            random: random,
            wallTime: wallTime
        )
    }

    /// Creates a store from its parts.
    ///
    /// - Parameters:
    ///   - engine: Stores the rows.
    ///   - blobs: The blobs that the documents reference.
    ///   - identity: What the engine has stored of it.
    ///   - archive: How bodies that are not current are stored.
    ///   - place: The files and owners; `nil` for a store in memory.
    ///   - observers: The observers of all stores with these files.
    ///   - random: Generates a new source if another database has the same source.
    ///   - wallTime: As for ``init(engine:blobs:archive:random:wallTime:)``.
    @_spi(Database) public init(
        engine: any StorageEngine,
        blobs: BlobStore,
        identity: StoreIdentity,
        archive: BodyArchive,
        place: (any StorePlace)?,
        observers: StoreObservers = StoreObservers(),
        random: any RandomSource = SystemRandomSource(),
        wallTime: (@Sendable () -> UInt64)? = nil
    ) {
        self.engine = engine
        authorship = Authorship(identity, random: random, wallTime: wallTime ?? WallClock.now)
        self.archive = archive
        self.blobs = blobs
        self.place = place
        self.observers = observers
        directory = place?.directory
        publicUUID = identity.publicUUID
        privateUUID = identity.privateUUID
        previousPrivateUUID = identity.previousPrivateUUID
    }

    /// Creates an empty store in memory.
    ///
    /// - Parameters:
    ///   - archive: How bodies that are not current are stored.
    ///   - scheme: The revision scheme.
    ///   - random: Generates its UUIDs, and a new source if another database has the same source.
    ///   - wallTime: Nanoseconds since 1970, for the clock of version vectors; `nil` means the system's clock.
    /// - Returns: The store.
    public static func inMemory(
        archive: BodyArchive = .deltas,
        scheme: RevisionScheme = .trees,
        random: any RandomSource = SystemRandomSource(),
        wallTime: (@Sendable () -> UInt64)? = nil
    ) -> Store {
        let engine = MemoryEngine()
        var identity = StoreIdentity(random: random)
        identity.scheme = scheme
        // Writing to memory does not fail, and no other thread uses the engine yet.
        try? engine.write { try identity.write(to: $0) }
        return Store(
            engine: engine,
            blobs: BlobStore(BlobMemory()),
            identity: identity,
            archive: archive,
            place: nil,
            random: random,
            wallTime: wallTime
        )
    }

    /// The revision scheme of the database.
    public var scheme: RevisionScheme { authorship.scheme }
    /// The source of versions written by this database; changes if another database turns out to have the same
    /// source.
    public var source: SourceID { authorship.source }

    /// Converts the database to version vectors permanently; does nothing if it already uses them.
    ///
    /// Documents do not change: each keeps its revision-tree ID until it is saved or a newer revision arrives.
    /// Checkpoints, conflicts and the known state of remotes are kept. Peers that support only revision trees
    /// (Couchbase Lite 3 and earlier, and Divan databases with revision trees) can no longer sync with it, and
    /// older versions of Divan cannot open it.
    ///
    /// - Throws: `busy` while it has other owners and inside `write`, and I/O errors; the database is then
    ///   unchanged.
    ///
    /// Source: `version-vectors.md` §10.
    public func upgradeToVersionVectors() throws {
        guard scheme != .vectors else { return }
        try outsideWrites {
            guard scheme != .vectors else { return }
            guard ownerCount <= 1 else {
                throw StoreError(.busy(.thisProcess(ownerCount: ownerCount)), at: directory ?? "")
            }
            try engine.write { try authorship.upgrade(in: $0) }
            authorship.noteUpgrade()
        }
    }

    /// Whether writes are rejected.
    public var isReadOnly: Bool { engine.isReadOnly }

    /// Whether the calling thread is inside `write`.
    public var isWriting: Bool { writing.isHeldHere && openWriter != nil }

    // MARK: Reading and writing

    /// Runs `body` on a snapshot of the database, no older than the call.
    ///
    /// Inside `write` on the same thread, `body` sees the changes of that write.
    ///
    /// - Throws: `StoreError`, and whatever `body` throws.
    public func read<T>(_ body: (StoreReader) throws -> T) throws -> T {
        if writing.isHeldHere, let openWriter { return try body(openWriter) }
        return try engine.read { snapshot in
            let reader = StoreReader(
                snapshot,
                path: directory ?? "",
                archive: archive,
                scheme: try currentScheme(in: snapshot)
            )
            defer { reader.end() }
            return try body(reader)
        }
    }

    /// How revisions are named in this state of the database: a store that only reads is not told of an
    /// upgrade by another process, or by the store that writes in this one.
    private func currentScheme(
        in snapshot: any StorageSnapshot
    ) throws(StoreError) -> RevisionScheme {
        let known = scheme
        guard isReadOnly, known == .trees, try StoreIdentity.scheme(in: snapshot) == .vectors
        else { return known }
        authorship.noteUpgrade()
        return .vectors
    }

    /// Runs `body` in a transaction, which is committed when `body` returns, and rolled back if it throws.
    ///
    /// Other threads' writes wait.
    ///
    /// A write inside another on the same thread joins it. If the inner write throws after a change, the outer
    /// write can no longer be committed: it throws the same error, even if that error was caught in between.
    /// Observers are called once, after the outermost write has committed.
    ///
    /// - Throws: `StoreError`, and whatever `body` throws.
    public func write<T>(
        origin: ChangeOrigin = .local,
        _ body: (StoreWriter) throws -> T
    ) throws -> T {
        let (result, changes) = try writing.withLock {
            if let openWriter {
                return (try openWriter.nest(origin: origin, body), [StoreChange]())
            }
            return try transact(origin: origin, body)
        }
        observers.notify(changes)
        return result
    }

    /// Stores a local revision, in a transaction that it may share with the saves of other threads; inside `write`
    /// on the same thread, it joins that write.
    ///
    /// Same as `StoreWriter.save`, but faster than `write` when several threads save at the same time. Returns
    /// after the commit, and after calling the observers on this thread.
    ///
    /// - Throws: As `StoreWriter.save`; also `noSuchCollection` if the collection with `number` was deleted, even
    ///   if it was recreated.
    public func save(
        _ revision: LocalRevision,
        in collection: CollectionPath,
        numbered number: CollectionID? = nil
    ) throws -> SaveOutcome {
        if isWriting {
            return try write { writer in
                try writer.require(collection, numbered: number)
                return try writer.save(revision, in: collection)
            }
        }
        let ticket = savings.add(revision, in: collection, numbered: number)
        let result = writing.withLock { () -> Result<GroupCommitQueue.Outcome, any Error>? in
            // Takes at most as many rounds as threads wait, since the oldest tickets are taken first.
            while ticket.result == nil, case let group = savings.take(), !group.isEmpty {
                store(group)
            }
            return ticket.result
        }
        guard let outcome = try result?.get() else { throw StoreError(.notOpen) }
        if let change = outcome.change { observers.notify([change]) }
        return outcome.outcome
    }

    /// Stores a body over the current revision, like `save(_:in:)`.
    public func save(
        _ documentID: DocumentID,
        in collection: CollectionPath,
        body: [UInt8]
    ) throws -> SaveOutcome {
        try save(LocalRevision(documentID, body: body), in: collection)
    }

    /// Stores a group in one transaction or, if that fails, each save in its own, so that one
    /// save's failure does not affect the others.
    private func store(_ group: [GroupCommitQueue.Ticket]) {
        do {
            let (outcomes, _) = try transact(origin: .local) { writer in
                try group.map { try writer.save($0) }
            }
            for (ticket, outcome) in zip(group, outcomes) { ticket.finish(.success(outcome)) }
        } catch  where group.count == 1 {
            for ticket in group { ticket.finish(.failure(error)) }
        } catch {
            for ticket in group { store([ticket]) }
        }
    }

    /// Runs the outermost write; call only while holding `writing`.
    private func transact<T>(
        origin: ChangeOrigin,
        _ body: (StoreWriter) throws -> T
    ) throws -> (result: T, changes: [StoreChange]) {
        var identity: StoreIdentity?
        let timer = StoreLog.database.timer(for: .verbose)
        // Until the commit, the ledger may be ahead of what is stored.
        var (losesLedger, losesLedgerIfUndone) = (false, false)
        var unsent: (documentID: DocumentID, key: String)?
        var repairedClock: HybridClock?
        var expiration: Int64?
        defer { if losesLedger || losesLedgerIfUndone { checkpointOwners.withLock { $0 = nil } } }
        hasWriter.store(true, ordering: .relaxed)
        defer {
            hasWriter.store(false, ordering: .relaxed)
            transactionCount.add(1, ordering: .relaxed)
        }
        let outcome = try engine.write { transaction in
            let writer = StoreWriter(
                transaction,
                path: directory ?? "",
                archive: archive,
                scheme: scheme,
                author: authorship.author(),
                retention: try deltaSources.retention(in: transaction),
                origin: origin
            )
            openWriter = writer
            defer {
                openWriter = nil
                losesLedger = writer.outdatesLedger
                losesLedgerIfUndone = writer.changeCount > 0
                authorship.pass(writer.author)
                writer.end()
            }
            let result = try body(writer)
            let changes = try writer.finish()
            identity = try authorship.finish(writer.author, in: transaction)
            if writer.namesBlobs { try blobs.settle() }
            unsent = writer.unsent
            expiration = writer.earliestExpiration
            if writer.author.isClockRepaired { repairedClock = writer.author.clock }
            return (result, changes)
        }
        losesLedgerIfUndone = false
        if let expiration { expirations.withLock { $0.note(expiration) } }
        if let repairedClock { authorship.note(repaired: repairedClock) }
        if let identity, let jump = authorship.note(identity) { warn(of: jump) }
        if let unsent { warn(of: unsent.key, in: unsent.documentID) }
        if let timer { note(timer, of: outcome.1) }
        return outcome
    }

    /// Logs a transaction that took long.
    private func note(_ timer: LogTimer, of changes: [StoreChange]) {
        guard timer.milliseconds > Double(StoreLimits.quickTransactionMilliseconds) else { return }
        let count = changes.reduce(0) { $0 + $1.changes.count }
        StoreLog.database.verbose(
            "Transaction in \(directory ?? "memory"): \(count) documents changed in \(timer.text)"
        )
    }

    /// Warns, once, that a key will not reach any peer.
    private func warn(of unsentKey: String, in documentID: DocumentID) {
        guard !hasToldOfUnsentKey.exchange(true, ordering: .relaxed) else { return }
        StoreLog.database.warning(
            "Document \(user: documentID): property \(user: unsentKey) is not synced because its name begins "
                + "with _; rename it to sync it"
        )
    }

    /// Warns, once for each jump, that the machine's clock may be wrong.
    private func warn(of jump: ClockJump) {
        StoreLog.database.warning(
            "The local clock is \(jump.dayCount) days ahead of the newest earlier save in "
                + "\(directory ?? "memory"). If it is wrong, peers will reject new changes: set "
                + "the clock, then run 'divan repair-clock'."
        )
    }

    /// Calls `handler` after every commit that changed documents, once per collection and origin,
    /// on the thread that committed and outside the transaction.
    ///
    /// When several threads write, a later commit may be reported first: use the sequences as a hint and read the
    /// changes feed. With `hearsShapes`, it is also called when a collection was created, and when an index was
    /// created, replaced or deleted.
    public func observe(
        hearsShapes: Bool = false,
        _ handler: @escaping @Sendable (StoreChange) -> Void
    ) -> StoreObservation {
        observers.add(hearsShapes: hearsShapes, handler)
    }

    // MARK: Collections

    /// All collections: the default collection, then the others in order of creation.
    public func collections() throws -> [CollectionPath] {
        try read { try $0.collections() }
    }

    /// Whether the collection exists; the default collection always exists.
    public func hasCollection(_ path: CollectionPath) throws -> Bool {
        try read { try $0.hasCollection(path) }
    }

    /// Creates a collection; does nothing if it already exists.
    public func createCollection(_ path: CollectionPath) throws {
        try write { try $0.createCollection(path) }
    }

    /// Deletes a collection with its documents; does nothing if it does not exist.
    ///
    /// The default collection always exists; it is only emptied.
    public func deleteCollection(_ path: CollectionPath) throws {
        try write { try $0.deleteCollection(path) }
    }
}
