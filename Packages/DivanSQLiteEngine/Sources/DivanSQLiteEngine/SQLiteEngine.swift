internal import DivanLog
import DivanPlatform
internal import DivanSQLite
public import DivanStorage
internal import Synchronization

/// Keeps rows in one SQLite file: one writer, many readers, write-ahead log.
///
/// **What it promises.** A transaction is stored completely or not at all, however the process ends. A
/// reader sees the state of a single commit from beginning to end, at least as new as its call, and
/// neither waits for the writer nor makes it wait.
///
/// **States.** Open for reading, open for writing, in doubt, closed; while the key changes, the writer is
/// closed and readers wait (`SQLiteEngine+Rekeying`). A write or read that fails rolls back its
/// transaction, and the next one starts afresh. A failed sync puts the log in doubt (`failedSync`): the
/// system may forget pages that it could not write, and report success for a later sync of them. So the
/// next write first rewrites the whole log and syncs it (decision 0011). As long as that fails, every
/// write throws the first error, while readers continue. The file itself needs no such care: what was not
/// synced there is copied from the log again.
///
/// **What may be reordered.** Writes never: the contract promises one at a time. With `syncsFully` each
/// commit is on the disk when `write` returns. Without, commits reach it in order, but later:
/// `SQLiteCheckpointer` copies the log into the file when it has grown. Reads run concurrently with each
/// other and with a write; one that begins after a write has returned sees it. An unused snapshot is ended
/// before a write, so that it does not keep the log from being copied.
///
/// **What bounds it.** `SQLiteLimits`: the log is copied every `logByteCount` bytes, and a writer that is
/// `logLagByteCount` ahead waits; `idleReaderCount` connections are kept for reading. During a long read
/// the log grows as far as it is written (beyond `heldLogByteCount` those that can are asked to let go),
/// and is cut back to 64 MiB afterwards. A reader's cache is small until it looks up documents.
///
/// **What a crash leaves.** Of the process: every commit. Of the machine: every commit with `syncsFully`;
/// without, the last ones may be missing, the latest first, and never a part of one.
///
/// Sendable although connections are not: the writer's is used only inside `write` and the maintenance
/// calls, of which the contract promises one at a time; readers are managed by `SQLiteReaders`.
public final class SQLiteEngine: StorageEngine, StorageFile, StorageQuerying, @unchecked Sendable {
    let path: String
    /// Whether the file was opened for reading only.
    public let isReadOnly: Bool
    // Changes only with the key; read by whoever copies or inspects while the writer runs.
    private let knownPlace: Mutex<DatabaseFileLocation>
    private var writer: SQLiteSession?
    private var syncsFully: Bool
    // The log is empty: see `SQLiteWriterSettings`.
    private var awaitsFirstCommit = false
    // The sync failure that put the log in doubt; `nil` while it is not.
    private var failedSync: StoreError?
    private var heldLog = WALGrowthMonitor()
    // The writer's file.
    private var presence: FilePresence?
    // None if each commit is synced, and none for a reader.
    private var checkpointer: SQLiteCheckpointer<StoreFunctions>?
    let readers: SQLiteReaders<EngineReaders>
    let queries = RunningQueries()

    /// Opens an existing database file.
    public convenience init(path: String, isReadOnly: Bool, syncsFully: Bool) throws(StoreError) {
        try self.init(DatabaseFileLocation(path), isReadOnly: isReadOnly, syncsFully: syncsFully)
    }

    /// Opens an existing database file.
    ///
    /// - Parameters:
    ///   - place: The file.
    ///   - isReadOnly: Whether nothing can be changed; another process may write to the file.
    ///   - syncsFully: Whether each commit survives a power failure.
    /// - Throws: `notADatabase`, `tooNew`, `corrupt`, `io`, or what SQLite reports.
    public init(
        _ place: DatabaseFileLocation,
        isReadOnly: Bool,
        syncsFully: Bool
    ) throws(StoreError) {
        path = place.path
        knownPlace = Mutex(place)
        self.isReadOnly = isReadOnly
        self.syncsFully = syncsFully
        let (connection, opening) = try SQLiteOpening.open(place, isReadOnly: isReadOnly)
        readers = SQLiteReaders(
            EngineReaders(place, opening),
            seesEveryWrite: !isReadOnly
        )
        guard !isReadOnly else { return }
        try beginWriting(through: connection, at: place)
    }

    private func beginWriting(
        through connection: StoreConnection,
        at place: DatabaseFileLocation
    ) throws(StoreError) {
        try SQLiteWriterSettings.apply(to: connection, syncsFully: syncsFully)
        try SQLiteSchema.migrate(connection)
        writer = try SQLiteSession(connection)
        presence = FilePresence(at: place.path)
        awaitsFirstCommit = false
        guard !syncsFully else { return }
        if StoreFiles.byteCount(place.path + "-wal") == 0 {
            awaitsFirstCommit = true
            try connection.execute("PRAGMA synchronous = OFF")
        }
        connection.followLog()
        checkpointer = SQLiteCheckpointer { () throws(StoreError) in
            try StoreConnection(place, mode: .readWrite)
        }
    }

    /// Creates a new database file.
    public static func create(path: String) throws(StoreError) {
        try create(at: DatabaseFileLocation(path))
    }

    /// Creates a new database file.
    ///
    /// - Throws: `io`, or what SQLite reports.
    public static func create(at place: DatabaseFileLocation) throws(StoreError) {
        try SQLiteSchema.create(on: StoreConnection(place, mode: .create))
    }

    /// The file, and the key it is open with.
    public var place: DatabaseFileLocation { knownPlace.withLock { $0 } }

    /// How a further connection opens the file.
    var mode: SQLiteMode { readers.source.opening.mode }

    /// The maintenance of the file: this object.
    public var file: (any StorageFile)? { self }
    /// Queries whose rows are read as they are requested: this object.
    public var querying: (any StorageQuerying)? { self }

    // MARK: Reading

    /// Checks that the open file is still the file with its name.
    public func requireFile() throws(StoreError) { try readers.requireFile() }

    /// Runs `body` on a snapshot, which one of the readers begins.
    public func read<T>(_ body: (any StorageSnapshot) throws -> T) throws -> T {
        let reader = try readers.take()
        defer { readers.giveBack(reader) }
        return try body(reader.session)
    }

    /// Begins a query on a snapshot; its rows keep a reader until they end.
    public func rows(of query: StorageQuery) throws -> StorageRows {
        let reader = try readers.take()
        do {
            try queries.begin(query.control, path: path)
            if let rows = try SQLiteParallelScan.rows(of: query, on: reader, of: readers) {
                queries.end(query.control)
                readers.giveBack(reader)
                var iterator = rows.makeIterator()
                return StorageRows(titles: query.titles) { iterator.next() }
            }
            let run = try SQLiteQueryRun(query, on: reader.session)
            return StorageRows(titles: run.titles, next: run.next) { [readers, queries] in
                run.end()
                queries.end(query.control)
                readers.giveBack(reader)
            }
        } catch {
            queries.end(query.control)
            readers.giveBack(reader)
            throw error
        }
    }

    // MARK: Writing

    /// Runs `body` in a transaction.
    public func write<T>(_ body: (any StorageTransaction) throws -> T) throws -> T {
        let session = try openWriter(looksAtOnce: false)
        readers.beginWrite()
        defer { readers.endWrite() }
        try session.begin("BEGIN IMMEDIATE")
        do {
            let result = try body(session)
            try session.commit()
            syncHeads(on: session.connection)
            checkpoint(session.connection)
            freeLog(session.connection)
            return result
        } catch {
            // Determined first, since rolling back is the connection's next call.
            noteFailure(error, of: session.connection)
            session.rollback()
            throw error
        }
    }

    /// Makes SQLite sync the headers of logs, and everything else it has to, from now on.
    private func syncHeads(on connection: StoreConnection) {
        guard awaitsFirstCommit else { return }
        // The commit is stored. If this fails, for lack of memory, the next commit repeats it.
        awaitsFirstCommit = (try? connection.execute("PRAGMA synchronous = NORMAL")) == nil
    }

    /// The commit is stored, so a failure is reported to the next write.
    private func checkpoint(_ connection: StoreConnection) {
        guard let checkpointer else { return }
        do throws(StoreError) {
            try checkpointer.logDidGrow(to: connection.logByteCount, on: connection)
        } catch {
            failedSync = error
        }
    }

    /// Restarts a long log with the next write, if readers allow it.
    private func freeLog(_ writer: StoreConnection) {
        let byteCount = checkpointer == nil ? nil : writer.logByteCount
        guard heldLog.hasGrown(to: byteCount, at: path) else { return }
        do throws(StoreError) {
            try checkpointer?.finish()
            // Most of it while readers go on: they wait for the rest alone.
            try writer.copyLog()
            let copy = try readers.betweenReads { () throws(StoreError) in try writer.copyLog() }
            // Those in another process, and of a store here that only reads, do not wait.
            guard copy?.isWhole != true else { return }
            warnOfHeldLog()
            queries.logIsLong()
        } catch {
            failedSync = error
        }
    }

    /// Warns of readers that are not asked to release the log.
    private func warnOfHeldLog() {
        StoreLog.database.warning(
            "\(path)-wal has grown to \(heldLog.byteCount >> 20) MiB because a reader has been open "
                + "for a long time: a result stream, or another process such as 'divan query' with a "
                + "pager. Read its remaining rows, or close it."
        )
    }

    func finishCheckpoint() throws(StoreError) {
        do throws(StoreError) {
            try checkpointer?.finish()
        } catch {
            failedSync = error
            throw error
        }
    }

    private func openWriter(looksAtOnce atOnce: Bool = true) throws(StoreError) -> SQLiteSession {
        guard !isReadOnly else { throw StoreError(.readOnly, at: path) }
        guard let writer else { throw StoreError(.notOpen, at: path) }
        // What is written into a file without a name is lost with this process, and another database may be
        // in its place by now.
        if presence?.isGone(from: path, atOnce: atOnce) ?? false {
            throw StoreError(.io(.staleFileHandle), at: path)
        }
        if let failedSync, !makeLogCertain() { throw failedSync }
        return writer
    }

    /// Resolves a doubt about the log; returns whether there is none any longer.
    private func makeLogCertain() -> Bool {
        if failedSync != nil, SQLiteLog.rewrite(ofDatabaseAt: path) { failedSync = nil }
        return failedSync == nil
    }

    /// Called before the connection is used again, which resets why its last call failed.
    private func noteFailure(_ error: any Error, of connection: StoreConnection) {
        guard connection.failedToSync, let error = error as? StoreError, error.path == path
        else { return }
        failedSync = failedSync ?? error
    }

    /// Runs an operation that commits by itself.
    private func notingFailure(
        of connection: StoreConnection,
        _ body: () throws(StoreError) -> Void
    ) throws(StoreError) {
        do throws(StoreError) {
            try body()
        } catch {
            noteFailure(error, of: connection)
            throw error
        }
    }

    // MARK: Maintenance

    /// Runs SQLite's `quick_check` on a connection of its own.
    public func checkPages() throws(StoreError) {
        try StoreConnection(place, mode: mode).check("PRAGMA quick_check(1)", of: path)
    }

    /// Checks all pages with `integrity_check`, and compares indexes and words with the documents.
    public func checkIntegrity() throws(StoreError) {
        let connection = try StoreConnection(place, mode: mode)
        try connection.check("PRAGMA integrity_check(1)", of: path)
        let session = try SQLiteSession(connection)
        // A single state, even if others write in the meantime.
        try session.begin("BEGIN")
        defer { session.rollback() }
        for path in try session.collections() {
            guard let collection = try session.collection(path) else { continue }
            try session.checkIndexes(of: collection)
            try session.checkWords(of: collection)
        }
    }

    /// Completes checksums, compresses or decompresses bodies, and rewrites the file without unused pages.
    public func compact() throws(StoreError) {
        let session = try openWriter()
        readers.beginWrite()
        defer { readers.endWrite() }
        try finishCheckpoint()
        syncHeads(on: session.connection)
        session.forgetStatements()
        try notingFailure(of: session.connection) { () throws(StoreError) in
            try SQLiteSchema.completeChecksums(session.connection)
            // Indexes contain the values of plain bodies, which do not change.
            try session.connection.withoutTriggers { () throws(StoreError) in
                try session.repackBodies { checkpoint(session.connection) }
            }
            session.forgetStatements()
            try session.connection.vacuum()
            try session.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        }
    }

    /// Updates the statistics of SQLite's indexes.
    public func optimize(isThorough: Bool) throws(StoreError) {
        let connection = try openWriter().connection
        readers.beginWrite()
        defer { readers.endWrite() }
        syncHeads(on: connection)
        try notingFailure(of: connection) { () throws(StoreError) in
            try connection.execute(
                isThorough
                    ? "PRAGMA analysis_limit = 0; ANALYZE;"
                    : "PRAGMA analysis_limit = 400; PRAGMA optimize;"
            )
        }
    }

    /// Syncs the log with an empty commit, and earlier commits with it.
    public func makeDurable() throws(StoreError) {
        let session = try openWriter()
        readers.beginWrite()
        defer { readers.endWrite() }
        awaitsFirstCommit = false
        let usual = "PRAGMA synchronous = \(syncsFully ? "FULL" : "NORMAL")"
        // A synced commit takes the earlier ones with it, and the place of a failed one, which might
        // otherwise reappear after a crash; this commit changes nothing.
        try session.connection.execute("PRAGMA synchronous = FULL")
        do throws(StoreError) {
            let version = try session.connection.integer("PRAGMA user_version") ?? 0
            try session.connection.execute(
                "BEGIN IMMEDIATE; PRAGMA user_version = \(version); COMMIT"
            )
            try session.connection.execute(usual)
        } catch {
            noteFailure(error, of: session.connection)
            session.rollback()
            try session.connection.execute(usual)
            throw error
        }
    }

    /// Syncs each commit from now on.
    public func syncFully() throws(StoreError) {
        let connection = try openWriter().connection
        try finishCheckpoint()
        checkpointer = nil
        awaitsFirstCommit = false
        try SQLiteWriterSettings.setSync(fully: true, of: connection)
        syncsFully = true
    }

    /// Writes a consistent copy of what is committed now to a new file.
    public func copy(to target: String) throws(StoreError) {
        let place = place
        if place.sealing != nil {
            return try rewrite(to: DatabaseFileLocation(target, sealing: place.sealing))
        }
        let source = try StoreConnection(place, mode: mode)
        try source.copy(to: StoreConnection(path: target, mode: .create))
    }

    /// Whether the writer's connection is open.
    var isWritable: Bool { writer != nil }

    /// Closes the writer's connection, which removes the log if no other is open.
    ///
    /// - Throws: If the log is in doubt, as it must not be copied into the file then.
    func stopWriting() throws(StoreError) {
        try finishCheckpoint()
        if let failedSync, !makeLogCertain() { throw failedSync }
        checkpointer = nil
        writer = nil
    }

    /// Reopens the file for writing, with its current key.
    func resumeWriting(at place: DatabaseFileLocation) throws(StoreError) {
        let connection = try StoreConnection(place, mode: .readWrite)
        try SQLiteSchema.verify(connection)
        try beginWriting(through: connection, at: place)
        knownPlace.withLock { $0 = place }
    }

    /// Ends all readers and queries, and closes the file.
    public func close() {
        readers.close()
        queries.close()
        // The connection closed last copies the log into the file and removes it, so that must be
        // the writer's, with a log that is certain. A checkpoint that fails now leaves it in doubt.
        try? finishCheckpoint()
        checkpointer = nil
        _ = makeLogCertain()
        writer = nil
    }
}
