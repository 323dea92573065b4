internal import CDivanStore
import DivanPlatform

/// One connection to a database file; confined to one thread at a time by the engine.
final class SQLiteConnection {
    enum Mode {
        case create
        case readWrite
        case readOnly
        /// There is no file; the path is `:memory:`.
        case memory
        /// Nobody writes, and the files that WAL needs cannot be created: a read-only medium.
        case immutable
    }

    /// The file, for error messages.
    let path: String
    // SQLite uses its VFS until the connection is closed.
    let sealing: (any StoreSealing)?
    // Closed in `deinit` only; statements hold the connection, so it outlives them.
    let handle: OpaquePointer
    /// Unpacks bodies, also for SQL functions; released after the handle.
    let bodies: SQLiteBodies
    // Adding the functions of queries would take a sixth of opening a database, and most connections run no queries.
    private var hasQueryFunctions = false
    // The first failure since the transaction began that left it closed.
    private var latestUndoing: StoreError?
    /// Bytes of the pages in the log after the latest commit of this connection, once `followLog` was called.
    private(set) var logByteCount = 0
    /// Bytes of a page; determined on first use.
    private(set) lazy var pageByteCount = pageSize()

    // SQLite counts its memory under a lock shared by all connections of the process: threads that
    // use different databases wait for each other there, and nobody needs the count. What a query
    // may hold is counted by its thread (`SQLiteMemoryQuota`). If the process used SQLite before,
    // nothing changes.
    static let configuresMemory: Void = { _ = divan_configure_memory() }()

    convenience init(path: String, mode: Mode) throws(StoreError) {
        try self.init(SQLitePlace(path), mode: mode)
    }

    /// Opens a file with its key; `namesOthers` lets statements refer to other files by URI.
    init(
        _ place: SQLitePlace,
        mode: Mode,
        namesOthers: Bool = false
    ) throws(StoreError) {
        _ = Self.configuresMemory
        path = place.path
        sealing = place.sealing
        let extra = namesOthers ? SQLITE_OPEN_URI : 0
        handle = try Self.open(place, mode, vfs: place.vfsName(), flags: extra)
        bodies = SQLiteBodies(of: handle, place.packing)
        sqlite3_busy_timeout(handle, StoreLimits.busyMilliseconds)
        // SQLite 3.40 fills that of an index on expressions with rowids, so that joined rows are not found.
        divan_forbid_bloom_filters(handle)
        let added = divan_add_checksums(handle)
        guard added == SQLITE_OK else { throw error(added) }
        guard let sealing else { return }
        try reserve(sealing.reservedByteCount)
        // What a sealed database spills would be plain, so the VFS creates no file for it.
        try execute("PRAGMA temp_store = MEMORY")
    }

    private static func open(
        _ place: SQLitePlace,
        _ mode: Mode,
        vfs: String?,
        flags extra: Int32
    ) throws(StoreError) -> OpaquePointer {
        let path = place.path
        // SQLite would leave the permissions to the process's umask; it copies those of the log and
        // its index from this file.
        if case .create = mode, let made = try BundleFiles.makeFile(path) { made.close() }
        var opened: OpaquePointer?
        let flags =
            SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE
            | SQLITE_OPEN_PRIVATECACHE | extra
        let code =
            switch mode {
            case .create, .memory:
                sqlite3_open_v2(
                    path,
                    &opened,
                    flags | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                    vfs
                )
            case .readWrite:
                sqlite3_open_v2(path, &opened, flags | SQLITE_OPEN_READWRITE, vfs)
            case .readOnly:
                sqlite3_open_v2(path, &opened, flags | SQLITE_OPEN_READONLY, vfs)
            case .immutable:
                sqlite3_open_v2(
                    SQLitePlace.uri(path, "immutable=1"),
                    &opened,
                    flags | SQLITE_OPEN_READONLY | SQLITE_OPEN_URI,
                    vfs
                )
            }
        guard code == SQLITE_OK, let opened else {
            let number = opened.map(sqlite3_system_errno) ?? 0
            sqlite3_close_v2(opened)
            let message = place.sealing == nil ? "cannot open" : "wrong encryption key"
            throw error(code, systemError: number, message: message, at: path)
        }
        return opened
    }

    /// Reserves bytes at the end of each page that SQLite leaves alone, in a database that is
    /// created here or by copying this one.
    func reserve(_ byteCount: Int32) throws(StoreError) {
        var byteCount = byteCount
        let code = sqlite3_file_control(
            handle,
            "main",
            SQLITE_FCNTL_RESERVE_BYTES,
            &byteCount
        )
        guard code == SQLITE_OK else { throw error(code) }
    }

    deinit {
        sqlite3_close_v2(handle)
    }

    /// Runs statements that return no rows.
    ///
    /// `willRun` is called with each once it is compiled.
    func execute(
        _ sql: String,
        willRun: (OpaquePointer) -> Void = { _ in }
    ) throws(StoreError) {
        let code = sql.withCString { text in
            var rest: UnsafePointer<CChar>? = text
            while let next = rest, next.pointee != 0 {
                // Some, like `VACUUM`, compile others only when they run; one that fails is undone.
                let code = withQueryFunctions { run(next, &rest, willRun) }
                guard code == SQLITE_OK else { return code }
            }
            return SQLITE_OK
        }
        guard code == SQLITE_OK else { throw error(code) }
    }

    /// Lets `body` sort in a single block of memory, and in a file beyond the size of the cache.
    ///
    /// With all temporary data in memory, SQLite allocates each row separately and never spills: creating
    /// an index takes a tenth longer, and memory for all its keys. That still happens if a file might not
    /// find room.
    func sortingInOnePiece<E: Error>(_ body: () throws(E) -> Void) throws(E) {
        // What a sealed database sorts would spill as plain text.
        try spilling(mayUseFiles: sealing == nil, body)
    }

    /// Rewrites the file without unused pages.
    ///
    /// The new one is made as a temporary database first, which would be entirely in memory. So it is
    /// put into a file if there is room, and sealed there like the database.
    func vacuum() throws(StoreError) {
        try spilling(mayUseFiles: true) { () throws(StoreError) in try execute("VACUUM") }
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
    func withoutTriggers<E: Error>(_ body: () throws(E) -> Void) throws(E) {
        _ = divan_run_triggers(handle, 0)
        defer { _ = divan_run_triggers(handle, 1) }
        try body()
    }

    /// Makes SQLite call `handler` once per so many steps; without a handler no longer.
    ///
    /// If it returns anything but 0, the statement stops. The caller keeps the context alive until then.
    func call(
        each stepCount: Int32,
        with context: UnsafeMutableRawPointer?,
        _ handler: (@convention(c) (UnsafeMutableRawPointer?) -> Int32)?
    ) {
        sqlite3_progress_handler(handle, stepCount, handler, context)
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
    func prepare(_ sql: String) throws(StoreError) -> SQLiteStatement {
        var statement: OpaquePointer?
        let code = withQueryFunctions {
            let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
            return sqlite3_prepare_v3(handle, sql, -1, flags, &statement, nil)
        }
        guard code == SQLITE_OK, let statement else { throw error(code) }
        return SQLiteStatement(statement, on: self)
    }

    /// Runs `body`; if it fails, repeats it with the functions of queries.
    private func withQueryFunctions(_ body: () -> Int32) -> Int32 {
        let code = body()
        guard code & 0xFF == SQLITE_ERROR, !hasQueryFunctions else { return code }
        let added = addFunctions()
        return added == SQLITE_OK ? body() : added
    }

    /// Adds the functions of queries before a statement that must not fail halfway: one that writes
    /// another file leaves an incomplete file behind.
    func addQueryFunctions() throws(StoreError) {
        let code = hasQueryFunctions ? SQLITE_OK : addFunctions()
        guard code == SQLITE_OK else { throw error(code) }
    }

    private func addFunctions() -> Int32 {
        var code = SQLiteQueryFunctions.add(to: handle, unpackingBy: bodies)
        if code == SQLITE_OK { code = SQLiteVectorFunctions.add(to: self) }
        hasQueryFunctions = code == SQLITE_OK
        return code
    }

    /// Runs one statement and returns the integer of its first row, or `nil` if there is none.
    func integer(_ sql: String) throws(StoreError) -> Int64? {
        let statement = try prepare(sql)
        return try statement.step() ? statement.integer(0) : nil
    }

    /// Runs one statement and returns the text of its first row, or `nil` if there is none.
    func text(_ sql: String) throws(StoreError) -> String? {
        let statement = try prepare(sql)
        return try statement.step() ? statement.text(0) : nil
    }

    /// Runs one of SQLite's own checks, which returns `ok` or what it found.
    func check(_ pragma: String, of path: String) throws(StoreError) {
        let finding = try text(pragma) ?? "no answer"
        // SQLite 3.44 also checks the words of full-text indexes once all pages are found sound. Documents
        // are not found by those, and `checkWords` names the index.
        guard finding != "ok", !finding.contains("inverted index for FTS5 table") else { return }
        // A page that the disk failed to read is reported, too, but says nothing about what is stored there.
        let code = finding.split(separator: "error code=").dropFirst().first
        let primary = code.flatMap { Int($0.prefix { $0.isASCII && $0.isNumber }) }.map { $0 & 255 }
        if primary == Int(SQLITE_IOERR) { throw StoreError(.io(.ioError), at: path) }
        throw StoreError(.corrupt(finding), at: path)
    }

    /// Runs one statement and returns the text of every row.
    func texts(_ sql: String) throws(StoreError) -> [String] {
        let statement = try prepare(sql)
        var texts: [String] = []
        while try statement.step() { texts.append(statement.text(0)) }
        return texts
    }

    private func pageSize() -> Int {
        let told = (try? integer("PRAGMA page_size")).flatMap { Int(exactly: $0) } ?? 0
        return told > 0 ? told : SQLiteSchema.pageByteCount
    }

    /// Measures the log from now on; SQLite no longer copies it into the file by itself.
    func followLog() {
        // Determined now, since the hook must run no statement.
        _ = pageByteCount
        sqlite3_wal_hook(
            handle,
            { connection, _, _, pageCount in
                // Called only during calls of this connection, so it exists.
                guard let connection else { return SQLITE_OK }
                let writer = Unmanaged<SQLiteConnection>.fromOpaque(connection)
                    .takeUnretainedValue()
                writer.logByteCount = Int(pageCount) * writer.pageByteCount
                return SQLITE_OK
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    /// Makes SQLite ask `watch` now and then whether to stop; `nil` ends that.
    ///
    /// The caller keeps the watch alive until then.
    func watch(_ watch: QueryWatch?) {
        guard let watch else { return sqlite3_progress_handler(handle, 0, nil, nil) }
        sqlite3_progress_handler(
            handle,
            QueryWatch.stepCount,
            { context in
                // Called only during calls of this connection, while the caller keeps the watch alive.
                guard let context else { return 0 }
                return Unmanaged<QueryWatch>.fromOpaque(context).takeUnretainedValue().mustStop
                    ? 1 : 0
            },
            Unmanaged.passUnretained(watch).toOpaque()
        )
    }

    /// Whether a transaction is open.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Notes that a transaction is open until it is ended.
    func transactionDidBegin() {
        latestUndoing = nil
    }

    /// Why the transaction is gone although nobody ended it: SQLite rolls one back by itself if the
    /// disk is full or broken.
    var undoing: StoreError? {
        guard !isInTransaction else { return nil }
        return latestUndoing ?? StoreError(.sqlite(SQLITE_ABORT, "no transaction"), at: path)
    }

    /// Whether the open transaction has changed something, or could have.
    var isWriting: Bool { sqlite3_txn_state(handle, "main") == SQLITE_TXN_WRITE }

    /// Whether the last call failed because the disk did not confirm what was written.
    var failedToSync: Bool {
        let code = sqlite3_extended_errcode(handle)
        // SQLITE_IOERR_FSYNC and SQLITE_IOERR_DIR_FSYNC.
        return code & 0xFF == SQLITE_IOERR && [4, 5].contains(code >> 8)
    }

    /// Rows changed by the last `INSERT`, `UPDATE` or `DELETE`.
    var changedRowCount: Int { Int(sqlite3_changes(handle)) }

    /// The error for an extended result code of this connection.
    func error(_ code: Int32) -> StoreError {
        // A file that cannot be read without its key looks like no database.
        let isSealedPerhaps = code & 0xFF == SQLITE_NOTADB && sealing == nil
        let error = Self.error(
            code,
            systemError: sqlite3_system_errno(handle),
            message: String(cString: sqlite3_errmsg(handle))
                + (isSealedPerhaps ? ", or it is encrypted" : ""),
            at: path
        )
        if !isInTransaction { latestUndoing = latestUndoing ?? error }
        return error
    }

    private static func error(
        _ code: Int32,
        systemError: Int32,
        message: String,
        at path: String
    ) -> StoreError {
        // Only the catalogue of collections refers to these tables.
        let isLost = ["no such table: docs_", "no such index: sqlite_autoindex_docs_"]
            .contains { message.hasPrefix($0) }
        switch code & 0xFF {
        case SQLITE_ERROR where isLost: return StoreError(.corrupt(message), at: path)
        case SQLITE_CORRUPT: return StoreError(.corrupt(message), at: path)
        case SQLITE_NOTADB: return StoreError(.notADatabase(message), at: path)
        case SQLITE_FULL: return StoreError(.diskFull, at: path)
        case SQLITE_READONLY: return StoreError(.readOnly, at: path)
        case SQLITE_BUSY, SQLITE_LOCKED: return StoreError(.busy(.otherProcess), at: path)
        case SQLITE_IOERR:
            // The number is that of the latest of all calls since, so it is trusted only if it is conclusive.
            let telling: [Errno] = [
                .noSpace, .diskQuotaExceeded, .fileTooLarge, .readOnlyFileSystem,
                .permissionDenied, .notPermitted,
            ]
            let number = Errno(systemError)
            return .system(telling.contains(number) ? number : .ioError, at: path)
        case SQLITE_CANTOPEN
        where Errno(systemError) == .noSuchFileOrDirectory && BundleFiles.exists(path):
            // The index of a log cannot be created without write permission.
            return .system(.permissionDenied, at: path)
        case SQLITE_CANTOPEN where systemError != 0:
            return .system(Errno(systemError), at: path)
        default: return StoreError(.sqlite(code, message), at: path)
        }
    }
}
