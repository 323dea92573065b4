public import DivanCrypto
public import DivanDelta
internal import DivanLog
public import DivanRevisions
internal import Synchronization

/// A database below its public face: collections of documents with their revision trees, blobs,
/// checkpoints, and notice of every change.
///
/// There is one `Store` for a file in a process, shared by all who open it. Any thread may read
/// and write; writes wait for each other, reads wait for nobody.
///
/// Source: `behaviour.md` §2, §15, §16; `revisions.md` §4, §5.
public final class Store: Sendable {
    /// The bundle's directory without links; `nil` for a store in memory.
    public let directory: String?
    /// The contents that documents name by digest.
    public let blobs: BlobStore
    /// 16 bytes that name the database to others; a copy gets new ones.
    public let publicUUID: [UInt8]
    /// 16 bytes that go into the names of checkpoints; a copy gets new ones.
    public let privateUUID: [UInt8]
    /// The private UUID of the database that this one was copied from.
    public let previousPrivateUUID: [UInt8]?

    let engine: any StorageEngine
    let authorship: Authorship
    private let archive: BodyArchive
    let place: StorePlace?
    let writing = RecursiveLock()
    private let observers: StoreObservers
    private let savings = SavingQueue()
    let deltaSources = DeltaSources()
    /// Read with the first checkpoint of a peer.
    let checkpointOwners = Mutex<CheckpointLedger?>(nil)
    private let hasToldOfUnsentKey = Atomic(false)
    // Only touched by the thread that is inside `writing`.
    nonisolated(unsafe) private var openWriter: StoreWriter?

    /// Creates a store over an engine of any kind.
    ///
    /// - Parameters:
    ///   - engine: Keeps the rows.
    ///   - blobs: The contents that the documents name; empty, and in memory, unless given.
    ///   - archive: How bodies that are not current are kept.
    ///   - random: Where a new database's UUIDs come from, and another source where it has a double.
    ///   - wallTime: Nanoseconds since 1970, for the clock of version vectors; `nil`: the system's.
    /// - Throws: What the engine throws while it is asked for the database's UUIDs.
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
            wallTime: wallTime ?? SystemWallTime.now
        )
    }

    init(
        engine: any StorageEngine,
        blobs: BlobStore,
        identity: StoreIdentity,
        archive: BodyArchive,
        place: StorePlace?,
        observers: StoreObservers = StoreObservers(),
        random: any RandomSource = SystemRandomSource(),
        wallTime: @escaping @Sendable () -> UInt64 = SystemWallTime.now
    ) {
        self.engine = engine
        authorship = Authorship(identity, random: random, wallTime: wallTime)
        self.archive = archive
        self.blobs = blobs
        self.place = place
        self.observers = observers
        directory = place?.files.directory
        publicUUID = identity.publicUUID
        privateUUID = identity.privateUUID
        previousPrivateUUID = identity.previousPrivateUUID
    }

    /// Creates an empty store in memory.
    ///
    /// - Parameters:
    ///   - archive: How bodies that are not current are kept.
    ///   - scheme: How revisions are named.
    ///   - random: Where its UUIDs come from, and another source where it has a double.
    ///   - wallTime: Nanoseconds since 1970, for the clock of version vectors; `nil`: the system's.
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
        engine.install(identity)
        return Store(
            engine: engine,
            blobs: BlobStore(BlobMemory()),
            identity: identity,
            archive: archive,
            place: nil,
            random: random,
            wallTime: wallTime ?? SystemWallTime.now
        )
    }

    /// How the database names its revisions, and tells what follows from what.
    public var scheme: RevisionScheme { authorship.scheme }
    /// Whose versions the database writes; changes when it turns out that another one has its source.
    public var source: SourceID { authorship.source }

    /// Names revisions by version vectors from now on, for ever; does nothing where that is so.
    ///
    /// No document is touched: each keeps its tree ID until it is saved, or a newer revision comes. What
    /// remotes have, checkpoints and conflicts stay. Peers that know only trees, which are Couchbase
    /// Lite 3 and earlier, and Divan with such a database, do not sync with it any more, and older
    /// versions of Divan do not open it.
    ///
    /// - Throws: `busy` while it has further owners and inside `write`, and what the medium reports; the
    ///   database is then as it was.
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

    /// Whether writes are refused.
    public var isReadOnly: Bool { engine.isReadOnly }

    /// Whether the calling thread is inside `write`.
    public var isWriting: Bool { writing.isHeldHere && openWriter != nil }

    // MARK: Reading and writing

    /// Runs `body` on one state of the database, no older than the call.
    ///
    /// Inside `write` on the same thread it is the state that this write sees.
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

    /// How revisions are named in a state of the database: nobody tells who only reads of an upgrade, by
    /// another process or by the store that writes in this one.
    private func currentScheme(
        in snapshot: any StorageSnapshot
    ) throws(StoreError) -> RevisionScheme {
        let known = scheme
        guard isReadOnly, known == .trees, try StoreIdentity.scheme(in: snapshot) == .vectors
        else { return known }
        authorship.noteUpgrade()
        return .vectors
    }

    /// Runs `body` in a transaction: everything is committed when it returns, nothing if it throws.
    ///
    /// Other threads' writes wait.
    ///
    /// A write inside another on the same thread joins it. When the inner one throws after it has
    /// changed something, the outer one cannot be committed any more: its end throws the same
    /// error, even if the error was caught in between. Observers are called once, behind the
    /// commit of the outermost.
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

    /// Stores a revision made on this peer, in a transaction that it may share with the saves of
    /// other threads; inside `write` on the same thread it joins that write.
    ///
    /// As `StoreWriter.save`, and faster than a `write` around it where several threads save at
    /// once. It returns behind the commit and after its observers were called on this thread.
    ///
    /// - Throws: As `StoreWriter.save`; `noSuchCollection` also where the collection is not the one with
    ///   `number`, but was made anew under its name.
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
        let result = writing.withLock { () -> Result<SavingQueue.Outcome, any Error>? in
            // At most as many rounds as threads wait, since the oldest tickets are taken first.
            while ticket.result == nil, case let group = savings.take(), !group.isEmpty {
                store(group)
            }
            return ticket.result
        }
        guard let outcome = try result?.get() else { throw StoreError(.notOpen) }
        if let change = outcome.change { observers.notify([change]) }
        return outcome.outcome
    }

    /// Stores a body over whatever is current, as `save(_:in:)`.
    public func save(
        _ documentID: DocumentID,
        in collection: CollectionPath,
        body: [UInt8]
    ) throws -> SaveOutcome {
        try save(LocalRevision(documentID, body: body), in: collection)
    }

    /// Stores a group in one transaction, or, when that fails, each in its own: one save's failure
    /// is not the others'.
    private func store(_ group: [SavingQueue.Ticket]) {
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

    /// Runs the outermost write; only inside `writing`.
    private func transact<T>(
        origin: ChangeOrigin,
        _ body: (StoreWriter) throws -> T
    ) throws -> (result: T, changes: [StoreChange]) {
        var identity: StoreIdentity?
        let timer = StoreLog.database.timer(for: .verbose)
        // Until it is committed, what the ledger knows may be ahead of what is stored.
        var (losesLedger, losesLedgerIfUndone) = (false, false)
        var unsent: (documentID: DocumentID, key: String)?
        defer { if losesLedger || losesLedgerIfUndone { checkpointOwners.withLock { $0 = nil } } }
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
            return (result, changes)
        }
        losesLedgerIfUndone = false
        if let identity { authorship.note(identity) }
        if let unsent { warn(of: unsent.key, in: unsent.documentID) }
        if let timer { note(timer, of: outcome.1) }
        return outcome
    }

    /// Tells of a transaction that took long.
    private func note(_ timer: LogTimer, of changes: [StoreChange]) {
        guard timer.milliseconds > Double(StoreLimits.quickTransactionMilliseconds) else { return }
        let count = changes.reduce(0) { $0 + $1.changes.count }
        StoreLog.database.verbose(
            "Transaction in \(directory ?? "memory"): \(count) documents changed in \(timer.text)"
        )
    }

    /// Says, once, that a key will not arrive anywhere.
    private func warn(of unsentKey: String, in documentID: DocumentID) {
        guard !hasToldOfUnsentKey.exchange(true, ordering: .relaxed) else { return }
        StoreLog.database.warning(
            "Document \(documentID) has a property \(unsentKey): it stays in this database, for peers leave out "
                + "properties that begin with _ at the top level; name it otherwise if it is to be synced"
        )
    }

    /// Calls `handler` after every commit that changed documents, once for each collection and
    /// origin, on the thread that committed and outside the transaction.
    ///
    /// When several threads write, a later commit may be told first: take the sequences as a hint
    /// and read the changes feed.
    public func observe(
        _ handler: @escaping @Sendable (StoreChange) -> Void
    ) -> StoreObservation {
        observers.add(handler)
    }

    // MARK: Collections

    /// Every collection: the default one, then the others in the order of creation.
    public func collections() throws -> [CollectionPath] {
        try read { try $0.collections() }
    }

    /// Whether the collection exists; the default one always does.
    public func hasCollection(_ path: CollectionPath) throws -> Bool {
        try read { try $0.hasCollection(path) }
    }

    /// Makes a collection; does nothing when it exists.
    public func createCollection(_ path: CollectionPath) throws {
        try write { try $0.createCollection(path) }
    }

    /// Removes a collection with its documents; does nothing when there is none.
    ///
    /// The default collection is emptied and, being always there, stays.
    public func deleteCollection(_ path: CollectionPath) throws {
        try write { try $0.deleteCollection(path) }
    }
}
