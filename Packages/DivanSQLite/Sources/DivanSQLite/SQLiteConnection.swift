public import CDivanSQLite
internal import DivanPlatform

/// One connection to a database file; used by one thread at a time.
///
/// Closed when it and its statements are released.
public final class SQLiteConnection<Client: SQLiteClient> {
    /// The file, for error messages.
    public let path: String
    /// The key of the file; SQLite uses its VFS until the connection is closed.
    public let encryption: (any SQLiteEncryption)?
    /// What owns the connection.
    public let client: Client
    /// The `sqlite3` handle, for functions in C.
    ///
    /// Closed in `deinit` only; statements hold the connection, so it outlives them.
    public let handle: OpaquePointer
    // Adding functions can take a sixth of opening a database, and most connections use none.
    private var hasFunctions = false
    // The first failure since the transaction began that left it closed.
    private var latestUndoing: Client.Failure?
    private let log = LogLength()
    /// Bytes of a page; determined on first use.
    public private(set) lazy var pageByteCount = pageSize()

    /// Opens a file.
    ///
    /// Waits up to `SQLiteLimits.busyMilliseconds` for locks of others.
    ///
    /// - Parameters:
    ///   - place: The file, with its key.
    ///   - mode: Whether it is written or created.
    ///   - client: What owns the connection.
    ///   - namesOthers: Whether statements may refer to other files by URI.
    /// - Throws: `cannotOpen`, `notADatabase` for a wrong key, or what SQLite reports.
    public init(
        _ place: SQLiteLocation,
        mode: SQLiteMode,
        client: Client,
        namesOthers: Bool = false
    ) throws(Client.Failure) {
        path = place.path
        encryption = place.encryption
        self.client = client
        do throws(SQLiteError) {
            handle = try SQLiteFiles.open(place, mode, namesOthers: namesOthers)
        } catch {
            throw Client.failure(error)
        }
        sqlite3_busy_timeout(handle, SQLiteLimits.busyMilliseconds)
        // SQLite 3.40 fills that of an index on expressions with rowids, so that joined rows are not found.
        divan_forbid_bloom_filters(handle)
        let prepared = client.prepare(handle)
        guard prepared == SQLITE_OK else { throw error(prepared) }
        guard let encryption else { return }
        try reserve(encryption.reservedByteCount)
        // What an encrypted database spills would be plain, so the VFS creates no file for it.
        try execute("PRAGMA temp_store = MEMORY")
    }

    deinit {
        sqlite3_close_v2(handle)
    }

    /// Reserves bytes at the end of each page that SQLite leaves alone, in a database that is
    /// created here or by copying this one.
    public func reserve(_ byteCount: Int32) throws(Client.Failure) {
        var byteCount = byteCount
        let code = sqlite3_file_control(
            handle,
            "main",
            SQLITE_FCNTL_RESERVE_BYTES,
            &byteCount
        )
        guard code == SQLITE_OK else { throw error(code) }
    }

    /// Sets the maximum of bytes in a text, a blob or a row; longer ones are an error.
    public func limitValues(toByteCount byteCount: Int32) {
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, byteCount)
    }

    // MARK: Running

    /// Runs statements, and ignores the rows that they return.
    ///
    /// `willRun` is called with each once it is compiled.
    public func execute(
        _ sql: String,
        willRun: (OpaquePointer) -> Void = { _ in }
    ) throws(Client.Failure) {
        let code = sql.withCString { text in
            var rest: UnsafePointer<CChar>? = text
            while let next = rest, next.pointee != 0 {
                // Some, like `VACUUM`, compile others only when they run; one that fails is undone.
                let code = withFunctions { run(next, &rest, willRun) }
                guard code == SQLITE_OK else { return code }
            }
            return SQLITE_OK
        }
        guard code == SQLITE_OK else { throw error(code) }
    }

    /// Runs the first statement of a text; a blank text has none.
    private func run(
        _ sql: UnsafePointer<CChar>,
        _ rest: inout UnsafePointer<CChar>?,
        _ willRun: (OpaquePointer) -> Void
    ) -> Int32 {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, 0, &statement, &rest)
        guard code == SQLITE_OK else { return code }
        if let statement { willRun(statement) }
        while sqlite3_step(statement) == SQLITE_ROW {}
        return sqlite3_finalize(statement)
    }

    /// Compiles one statement that will be kept.
    public func prepare(_ sql: String) throws(Client.Failure) -> SQLiteStatement<Client> {
        var statement: OpaquePointer?
        let code = withFunctions {
            let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
            return sqlite3_prepare_v3(handle, sql, -1, flags, &statement, nil)
        }
        guard code == SQLITE_OK, let statement else { throw error(code) }
        return SQLiteStatement(statement, on: self)
    }

    /// Runs `body`; if it fails, repeats it with the client's functions.
    private func withFunctions(_ body: () -> Int32) -> Int32 {
        let code = body()
        guard code & 0xFF == SQLITE_ERROR, !hasFunctions else { return code }
        let added = addAllFunctions()
        return added == SQLITE_OK ? body() : added
    }

    /// Adds the client's functions before a statement that must not fail halfway: one that writes
    /// another file leaves an incomplete file behind.
    public func addFunctions() throws(Client.Failure) {
        let code = hasFunctions ? SQLITE_OK : addAllFunctions()
        guard code == SQLITE_OK else { throw error(code) }
    }

    private func addAllFunctions() -> Int32 {
        let code = client.addFunctions(to: self)
        hasFunctions = code == SQLITE_OK
        return code
    }

    /// Runs one statement and returns the integer of its first row, or `nil` if there is none.
    public func integer(_ sql: String) throws(Client.Failure) -> Int64? {
        let statement = try prepare(sql)
        return try statement.step() ? statement.integer(0) : nil
    }

    /// Runs one statement and returns the text of its first row, or `nil` if there is none.
    public func text(_ sql: String) throws(Client.Failure) -> String? {
        let statement = try prepare(sql)
        return try statement.step() ? statement.text(0) : nil
    }

    /// Runs one statement and returns the text of every row.
    public func texts(_ sql: String) throws(Client.Failure) -> [String] {
        let statement = try prepare(sql)
        var texts: [String] = []
        while try statement.step() { texts.append(statement.text(0)) }
        return texts
    }

    // MARK: Settings

    /// Lets `body` sort in a single block of memory, and in a file beyond the size of the cache.
    ///
    /// With all temporary data in memory, SQLite allocates each row separately and never spills: creating
    /// an index takes a tenth longer, and memory for all its keys. That still happens if a file might not
    /// find room.
    public func sortingInOnePiece<E: Error>(_ body: () throws(E) -> Void) throws(E) {
        // What an encrypted database sorts would spill as plain text.
        try spilling(mayUseFiles: encryption == nil, body)
    }

    /// Rewrites the file without unused pages.
    ///
    /// The new one is made as a temporary database first, which would be entirely in memory. So it is
    /// put into a file if there is room, and encrypted there like the database.
    public func vacuum() throws(Client.Failure) {
        try spilling(mayUseFiles: true) { () throws(Client.Failure) in try execute("VACUUM") }
    }

    /// Lets SQLite put into files what does not fit into the cache while `body` runs.
    private func spilling<E: Error>(mayUseFiles: Bool, _ body: () throws(E) -> Void) throws(E) {
        guard mayUseFiles, let before = try? integer("PRAGMA temp_store"),
            let pageCount = try? integer("PRAGMA page_count"),
            let pageByteCount = try? integer("PRAGMA page_size"),
            SQLiteTemporaryDirectory.holds(pageCount * pageByteCount)
        else { return try body() }
        try? execute("PRAGMA temp_store = FILE")
        defer { try? execute("PRAGMA temp_store = \(before)") }
        try body()
    }

    /// Changes rows without running triggers; for changes that leave the triggers' tables the same.
    public func withoutTriggers<E: Error>(_ body: () throws(E) -> Void) throws(E) {
        _ = divan_run_triggers(handle, 0)
        defer { _ = divan_run_triggers(handle, 1) }
        try body()
    }

    /// Makes SQLite call `handler` once per so many steps; without a handler no longer.
    ///
    /// If it returns anything but 0, the statement stops with `interrupted`. The caller keeps the context alive
    /// until then.
    public func call(
        each stepCount: Int32,
        with context: UnsafeMutableRawPointer?,
        _ handler: (@convention(c) (UnsafeMutableRawPointer?) -> Int32)?
    ) {
        sqlite3_progress_handler(handle, stepCount, handler, context)
    }

    private func pageSize() -> Int {
        let told = (try? integer("PRAGMA page_size")).flatMap { Int(exactly: $0) } ?? 0
        // What a new file has, unless its size was chosen.
        return told > 0 ? told : 4_096
    }

    /// Measures the log from now on; SQLite no longer copies it into the file by itself.
    public func followLog() {
        log.follow(handle, pageByteCount: pageByteCount)
    }

    /// Bytes of the pages in the log after the latest commit of this connection, once `followLog` was called.
    public var logByteCount: Int { log.byteCount }

    // MARK: State

    /// Whether a transaction is open.
    @inlinable public var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Notes that a transaction is open until it is ended.
    public func transactionDidBegin() {
        latestUndoing = nil
    }

    /// Why the transaction is gone although nobody ended it: SQLite rolls one back by itself if the
    /// disk is full or broken.
    public var undoing: Client.Failure? {
        guard !isInTransaction else { return nil }
        return latestUndoing
            ?? Client.failure(
                SQLiteError(code: SQLITE_ABORT, message: "no transaction", path: path)
            )
    }

    /// Whether the open transaction has changed something, or could have.
    public var isWriting: Bool { sqlite3_txn_state(handle, "main") == SQLITE_TXN_WRITE }

    /// Whether the last call failed because the disk did not confirm what was written.
    public var failedToSync: Bool {
        let code = sqlite3_extended_errcode(handle)
        // SQLITE_IOERR_FSYNC and SQLITE_IOERR_DIR_FSYNC.
        return code & 0xFF == SQLITE_IOERR && [4, 5].contains(code >> 8)
    }

    /// Frees the cached pages that no statement uses.
    public func releasePages() { sqlite3_db_release_memory(handle) }

    /// Rows changed by the last `INSERT`, `UPDATE` or `DELETE`.
    @inlinable public var changedRowCount: Int { Int(sqlite3_changes(handle)) }

    /// The row ID of the last `INSERT` into a table with row IDs; 0 if there was none.
    public var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

    /// The error for an extended result code of this connection's last call.
    public func error(_ code: Int32) -> Client.Failure {
        // A file that cannot be read without its key looks like no database.
        let isEncryptedPerhaps = code & 0xFF == SQLITE_NOTADB && encryption == nil
        let failure = Client.failure(
            SQLiteError(
                code: code,
                message: String(cString: sqlite3_errmsg(handle))
                    + (isEncryptedPerhaps ? ", or it is encrypted" : ""),
                systemError: Errno(sqlite3_system_errno(handle)),
                path: path
            )
        )
        if !isInTransaction { latestUndoing = latestUndoing ?? failure }
        return failure
    }
}

/// The length of a log, as SQLite reports it after each commit of one connection.
private final class LogLength {
    private(set) var byteCount = 0
    private var pageByteCount = 0

    /// Begins to measure; the caller keeps this object until the connection is closed.
    func follow(_ connection: OpaquePointer, pageByteCount: Int) {
        // Known beforehand, since the hook must run no statement.
        self.pageByteCount = pageByteCount
        sqlite3_wal_hook(
            connection,
            { context, _, _, pageCount in
                // Called only during calls of the connection, whose owner keeps this object.
                guard let context else { return SQLITE_OK }
                let log = Unmanaged<LogLength>.fromOpaque(context).takeUnretainedValue()
                log.byteCount = Int(pageCount) * log.pageByteCount
                return SQLITE_OK
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }
}
