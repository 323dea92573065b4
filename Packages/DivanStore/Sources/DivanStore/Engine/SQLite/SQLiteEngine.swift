internal import CDivanStore
internal import Glibc
internal import Synchronization

/// Keeps rows in one SQLite file: one writer, many readers, write-ahead log.
///
/// **What it promises.** A transaction is there whole or not at all, whatever ends the process. A
/// reader sees one commit's state from beginning to end, at least as new as its call, and neither
/// waits for the writer nor makes it wait.
///
/// **States.** Open for reading, open for writing, in doubt, closed; while the key changes, the writer is
/// closed and readers wait (`SQLiteEngine+Rekeying`). A write or a read that fails undoes
/// its transaction, and the next one begins afresh. A sync that fails puts the log in doubt
/// (`failedSync`): the system may forget pages that it could not write, and call a later sync of them
/// good. So the next write first writes the whole log again and syncs it (decision 0026). As long as
/// that fails, every write throws the first error, while readers go on. The file itself needs no such
/// care: what was not synced there is copied from the log again.
///
/// **What may be reordered.** Writes never: the seam promises one at a time. With `syncsFully` each
/// commit is on the disk when `write` returns. Without, commits reach it in their order, but later:
/// `SQLiteCheckpointer` copies the log into the file when it has grown. Reads run beside each other and
/// beside a write; one that begins after a write has returned sees it. A snapshot that nobody
/// uses is ended before a write, so that it does not keep the log from being copied.
///
/// **What bounds it.** `StoreLimits`: the log is copied each `logByteCount` bytes, and a writer that runs
/// `logLagByteCount` ahead waits; `idleReaderCount` connections are kept for reading. Behind a long
/// reader the log grows as far as it is written (beyond `heldLogByteCount` those that can are asked to let
/// go), and is cut back to 64 MiB after it. A reader's cache is small until it looks for documents.
///
/// **What a crash leaves.** Of the process: every commit. Of the machine: every commit with
/// `syncsFully`; without, the last ones may be missing, the last in order first, and never a part of
/// one.
///
/// Sendable although connections are not: the writer's is used only inside `write` and the
/// maintenance calls, which the seam promises to be one at a time; readers are `SQLiteReaders`'
/// matter.
final class SQLiteEngine: StorageEngine, @unchecked Sendable {
    let path: String
    let isReadOnly: Bool
    // Changes with the key only; read by whoever copies or inspects beside the writer.
    private let knownPlace: Mutex<SQLitePlace>
    let mode: SQLiteConnection.Mode
    private var writer: SQLiteSession?
    private var syncsFully: Bool
    // The log is empty: see `syncSettings`.
    private var awaitsFirstCommit = false
    // Since when the log is in doubt; `nil` while it is not.
    private var failedSync: StoreError?
    private var heldLog = HeldLog()
    // The writer's file.
    private var presence: FilePresence?
    // None where each commit is synced, and none for a reader.
    private var checkpointer: SQLiteCheckpointer?
    let readers: SQLiteReaders

    /// Opens a database file that exists.
    convenience init(path: String, isReadOnly: Bool, syncsFully: Bool) throws(StoreError) {
        try self.init(SQLitePlace(path), isReadOnly: isReadOnly, syncsFully: syncsFully)
    }

    init(_ place: SQLitePlace, isReadOnly: Bool, syncsFully: Bool) throws(StoreError) {
        path = place.path
        knownPlace = Mutex(place)
        self.isReadOnly = isReadOnly
        self.syncsFully = syncsFully
        let first = try Self.open(place, isReadOnly: isReadOnly)
        mode = first.mode
        readers = SQLiteReaders(place, mode: first.mode, seesEveryWrite: !isReadOnly)
        guard !isReadOnly else { return }
        try beginWriting(through: first.connection, at: place)
    }

    private func beginWriting(
        through connection: SQLiteConnection,
        at place: SQLitePlace
    ) throws(StoreError) {
        try Self.tune(connection, syncsFully: syncsFully)
        try SQLiteSchema.migrate(connection)
        writer = try SQLiteSession(connection)
        presence = FilePresence(at: place.path)
        awaitsFirstCommit = false
        guard !syncsFully else { return }
        if BundleFiles.byteCount(place.path + "-wal") == 0 {
            awaitsFirstCommit = true
            try connection.execute("PRAGMA synchronous = OFF")
        }
        connection.followLog()
        checkpointer = SQLiteCheckpointer(place)
    }

    /// Makes a new database file.
    static func create(path: String) throws(StoreError) {
        try create(at: SQLitePlace(path))
    }

    static func create(at place: SQLitePlace) throws(StoreError) {
        try SQLiteSchema.create(on: SQLiteConnection(place, mode: .create))
    }

    /// The file, and the key with which it is open.
    var place: SQLitePlace { knownPlace.withLock { $0 } }

    private static func open(
        _ place: SQLitePlace,
        isReadOnly: Bool
    ) throws(StoreError) -> (connection: SQLiteConnection, mode: SQLiteConnection.Mode) {
        let mode: SQLiteConnection.Mode = isReadOnly ? .readOnly : .readWrite
        do {
            let connection = try SQLiteConnection(place, mode: mode)
            try SQLiteSchema.verify(connection)
            return (connection, mode)
        } catch {
            // On a read-only medium the log's index cannot be made; without a log there is
            // nothing that it would have to index.
            guard isReadOnly, error.isAboutPlace, BundleFiles.byteCount(place.path + "-wal") == 0
            else { throw error }
            let connection = try SQLiteConnection(place, mode: .immutable)
            try SQLiteSchema.verify(connection)
            return (connection, .immutable)
        }
    }

    private static func tune(
        _ connection: SQLiteConnection,
        syncsFully: Bool
    ) throws(StoreError) {
        // A log that once grew behind a long reader is cut back to 64 MiB.
        try connection.execute(
            """
            PRAGMA journal_size_limit = 67108864;
            PRAGMA temp_store = MEMORY;
            """
        )
        try KeptPages.begin(onWriter: connection)
        try connection.execute(syncSettings(syncsFully, connection))
    }

    // Where each commit is synced, SQLite itself writes the log into the file every 4 MiB: as long
    // as the log grows, a sync also waits for the file's new length, which takes a quarter longer
    // than a sync of what was there before. Elsewhere `SQLiteCheckpointer` does it, less often,
    // since pages that many commits touch are then written only once.
    //
    // SQLite syncs the head of a log that it begins, lest pages of the log before be taken for its own.
    // In an empty file there are none, and what is lost there with a power cut are the latest commits,
    // as ever. So the first commit into an empty log syncs nothing: it takes half a millisecond less.
    private static func syncSettings(_ full: Bool, _ connection: SQLiteConnection) -> String {
        let pageCount = full ? (4 << 20) / connection.pageByteCount : 0
        return """
            PRAGMA synchronous = \(full ? "FULL" : "NORMAL"); PRAGMA wal_autocheckpoint = \(pageCount)
            """
    }

    // MARK: Reading

    func requireFile() throws(StoreError) { try readers.requireFile() }

    func read<T>(_ body: (any StorageSnapshot) throws -> T) throws -> T {
        let session = try readers.take()
        defer { readers.giveBack(session) }
        return try body(session)
    }

    func rows(of query: StorageQuery) throws -> StorageRows {
        let session = try readers.take()
        do {
            try readers.begin(query.watch)
            if let rows = try SQLiteDividedRun.rows(of: query, on: session, of: readers) {
                readers.end(query.watch)
                readers.giveBack(session)
                var iterator = rows.makeIterator()
                return StorageRows(titles: query.titles) { iterator.next() }
            }
            let run = try SQLiteQueryRun(query, on: session)
            return StorageRows(titles: run.titles, next: run.next) { [readers] in
                run.end()
                readers.end(query.watch)
                readers.giveBack(session)
            }
        } catch {
            readers.end(query.watch)
            readers.giveBack(session)
            throw error
        }
    }

    // MARK: Writing

    func write<T>(_ body: (any StorageTransaction) throws -> T) throws -> T {
        let session = try openWriter(looksAtOnce: false)
        readers.beginWrite()
        defer { readers.endWrite() }
        try session.begin("BEGIN IMMEDIATE")
        do {
            let result = try body(session)
            try session.commit()
            syncHeads(on: session.connection)
            checkpoint(session.connection)
            let byteCount = session.connection.logByteCount
            if heldLog.hasGrown(to: checkpointer == nil ? nil : byteCount, at: path) {
                readers.logIsLong()
            }
            return result
        } catch {
            // Asked first, since undoing the transaction is the connection's next call.
            noteFailure(error, of: session.connection)
            session.rollback()
            throw error
        }
    }

    /// Has SQLite sync the heads of logs, and whatever has to be, from now on.
    private func syncHeads(on connection: SQLiteConnection) {
        guard awaitsFirstCommit else { return }
        // What was committed stands. Should this fail, memory being short, the next commit does it.
        awaitsFirstCommit = (try? connection.execute("PRAGMA synchronous = NORMAL")) == nil
    }

    /// What was committed stands, so the next write is told of a failure.
    private func checkpoint(_ connection: SQLiteConnection) {
        guard let checkpointer else { return }
        do throws(StoreError) {
            try checkpointer.logDidGrow(to: connection.logByteCount, on: connection)
        } catch {
            failedSync = error
        }
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
        // What is written into a file without a name is gone with this process, and in its place there may be
        // another database by now.
        if presence?.isGone(from: path, atOnce: atOnce) ?? false {
            throw StoreError(.io(ESTALE), at: path)
        }
        if let failedSync, !makeLogCertain() { throw failedSync }
        return writer
    }

    /// Ends a doubt in the log; returns whether there is none any longer.
    private func makeLogCertain() -> Bool {
        if failedSync != nil, divan_write_log_again(path + "-wal") == SQLITE_OK { failedSync = nil }
        return failedSync == nil
    }

    /// Called before the connection is used again, which forgets why its last call failed.
    private func noteFailure(_ error: any Error, of connection: SQLiteConnection) {
        guard connection.failedToSync, let error = error as? StoreError, error.path == path
        else { return }
        failedSync = failedSync ?? error
    }

    /// Runs what commits by itself.
    private func notingFailure(
        of connection: SQLiteConnection,
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

    func checkPages() throws(StoreError) {
        try SQLiteConnection(place, mode: mode).check("PRAGMA quick_check(1)", of: path)
    }

    func checkIntegrity() throws(StoreError) {
        let connection = try SQLiteConnection(place, mode: mode)
        try connection.check("PRAGMA integrity_check(1)", of: path)
        let session = try SQLiteSession(connection)
        // One state, whoever writes meanwhile.
        try session.begin("BEGIN")
        defer { session.rollback() }
        for path in try session.collections() {
            guard let collection = try session.collection(path) else { continue }
            try session.checkIndexes(of: collection)
            try session.checkWords(of: collection)
        }
    }

    func compact() throws(StoreError) {
        let session = try openWriter()
        readers.beginWrite()
        defer { readers.endWrite() }
        try finishCheckpoint()
        syncHeads(on: session.connection)
        session.forgetStatements()
        try notingFailure(of: session.connection) { () throws(StoreError) in
            try SQLiteSchema.completeChecksums(session.connection)
            // Indexes have the values of plain bodies, which stay.
            try session.connection.withoutTriggers { () throws(StoreError) in
                try session.repackBodies { checkpoint(session.connection) }
            }
            session.forgetStatements()
            try session.connection.vacuum()
            try session.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        }
    }

    func optimize(isThorough: Bool) throws(StoreError) {
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

    func makeDurable() throws(StoreError) {
        let session = try openWriter()
        readers.beginWrite()
        defer { readers.endWrite() }
        awaitsFirstCommit = false
        let usual = "PRAGMA synchronous = \(syncsFully ? "FULL" : "NORMAL")"
        // A commit that is synced takes those before it along, and the place of one that failed, which
        // might stand after a crash; this one changes nothing.
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

    func syncFully() throws(StoreError) {
        let connection = try openWriter().connection
        try finishCheckpoint()
        checkpointer = nil
        awaitsFirstCommit = false
        try connection.execute(Self.syncSettings(true, connection))
        syncsFully = true
    }

    /// Writes a consistent copy of what is committed now to a new file.
    func copy(to target: String) throws(StoreError) {
        let place = place
        if place.sealing != nil {
            return try rewrite(to: SQLitePlace(target, sealing: place.sealing))
        }
        let source = try SQLiteConnection(place, mode: mode)
        try source.copy(to: SQLiteConnection(path: target, mode: .create))
    }

    /// Whether the writer's connection is open.
    var isWritable: Bool { writer != nil }

    /// Closes the writer's connection, which clears the log away when no other is open.
    ///
    /// - Throws: Where the log is in doubt, which must not be copied into the file then.
    func stopWriting() throws(StoreError) {
        try finishCheckpoint()
        if let failedSync, !makeLogCertain() { throw failedSync }
        checkpointer = nil
        writer = nil
    }

    /// Opens the file for writing once more, with the key that it has now.
    func resumeWriting(at place: SQLitePlace) throws(StoreError) {
        let connection = try SQLiteConnection(place, mode: .readWrite)
        try SQLiteSchema.verify(connection)
        try beginWriting(through: connection, at: place)
        knownPlace.withLock { $0 = place }
    }

    func close() {
        readers.close()
        // The connection that is closed last copies the log into the file and clears it away, so that
        // one is ours, and the log is what it copies. A checkpoint that fails now leaves it in doubt.
        try? finishCheckpoint()
        checkpointer = nil
        _ = makeLogCertain()
        writer = nil
    }
}
