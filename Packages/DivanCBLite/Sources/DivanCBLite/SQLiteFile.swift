internal import CDivanCBLite

/// One read-only connection; used by one thread at a time.
final class SQLiteFile {
    // Closed only in `deinit`; statements hold the connection, so it outlives them.
    private let handle: OpaquePointer

    convenience init(_ copy: ScratchCopy) throws(CBLiteError) {
        try self.init(copy.database, isUnchanging: copy.isOriginal)
    }

    /// Opens a file; one that nobody changes is not touched, and its log is ignored.
    init(_ path: String, isUnchanging: Bool) throws(CBLiteError) {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE
        let code: Int32
        if isUnchanging {
            // Without the locks and the files that a reader of a WAL database would create.
            let uri = "file:\(Self.escaped(path))?immutable=1"
            code = sqlite3_open_v2(
                uri,
                &opened,
                flags | SQLITE_OPEN_READONLY | SQLITE_OPEN_URI,
                nil
            )
        } else {
            code = sqlite3_open_v2(path, &opened, flags | SQLITE_OPEN_READWRITE, nil)
        }
        guard code == SQLITE_OK, let opened else {
            sqlite3_close_v2(opened)
            throw code == SQLITE_NOTADB ? .encrypted : .damaged("SQLite error \(code)")
        }
        handle = opened
        // A foreign schema may contain code that runs when it is read.
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Int32(CBLiteLimits.columnByteCount))
        try execute("PRAGMA trusted_schema = OFF")
        // Of a mapped file that is cut off, or lies on a disk that fails, SQLite tells nothing: the process ends.
        try execute("PRAGMA mmap_size = 0")
        try execute("PRAGMA temp_store = MEMORY")
    }

    deinit {
        sqlite3_close_v2(handle)
    }

    private static func escaped(_ path: String) -> String {
        var escaped = String.UnicodeScalarView()
        // By scalars: with a combining accent a question mark is another character.
        for scalar in path.unicodeScalars {
            switch scalar {
            case "%": escaped += "%25".unicodeScalars
            case "?": escaped += "%3f".unicodeScalars
            case "#": escaped += "%23".unicodeScalars
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }

    /// Makes SQLite read a file although its end is missing; nothing is written either way.
    func acceptMissingEnd() throws(CBLiteError) {
        try execute("PRAGMA writable_schema = ON")
    }

    func execute(_ sql: String) throws(CBLiteError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure }
    }

    func prepare(_ sql: String) throws(CBLiteError) -> Query {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
        guard code == SQLITE_OK, let statement else { throw failure }
        return Query(statement, of: self)
    }

    fileprivate var failure: CBLiteError {
        if sqlite3_errcode(handle) & 0xFF == SQLITE_NOTADB { return .encrypted }
        return .damaged(String(cString: sqlite3_errmsg(handle)))
    }

    /// A statement that returns rows.
    final class Query {
        // Finalized only in `deinit`; columns are copied before the next step.
        private let statement: OpaquePointer
        private let file: SQLiteFile

        fileprivate init(_ statement: OpaquePointer, of file: SQLiteFile) {
            self.statement = statement
            self.file = file
        }

        deinit {
            sqlite3_finalize(statement)
        }

        /// Whether there is a row.
        func step() throws(CBLiteError) -> Bool {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: return true
            case SQLITE_DONE: return false
            default: throw file.failure
            }
        }

        /// Restarts with an integer as parameter 1.
        func begin(with number: Int64) {
            sqlite3_reset(statement)
            sqlite3_bind_int64(statement, 1, number)
        }

        /// Binds a text as parameter 1.
        func bind(_ text: String) {
            divan_cblite_bind_text(statement, 1, text)
        }

        func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

        func isNull(_ column: Int32) -> Bool {
            sqlite3_column_type(statement, column) == SQLITE_NULL
        }

        /// The bytes of text or data; `nil` for NULL.
        func bytes(_ column: Int32) -> [UInt8]? {
            guard !isNull(column) else { return nil }
            guard let start = sqlite3_column_blob(statement, column) else { return [] }
            let count = Int(sqlite3_column_bytes(statement, column))
            // SQLite keeps `count` bytes there until the next step; they are copied here.
            return Array(UnsafeRawBufferPointer(start: start, count: count))
        }

        func text(_ column: Int32) -> String {
            String(decoding: bytes(column) ?? [], as: UTF8.self)
        }
    }
}
