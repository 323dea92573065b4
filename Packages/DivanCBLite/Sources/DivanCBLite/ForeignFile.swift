internal import DivanSQLite

/// A read-only connection to a file of Couchbase Lite.
typealias ForeignFile = SQLiteConnection<ForeignSQLite>
/// A query of such a file.
typealias ForeignQuery = SQLiteStatement<ForeignSQLite>

/// Reports `CBLiteError`s.
struct ForeignSQLite: SQLiteClient {
    static func failure(_ error: SQLiteError) -> CBLiteError {
        error.kind == .notADatabase ? .encrypted : .damaged(error.message)
    }
}

extension SQLiteConnection<ForeignSQLite> {
    convenience init(_ copy: ScratchCopy) throws(CBLiteError) {
        try self.init(copy.database, isUnchanging: copy.isOriginal)
    }

    /// Opens a file; an unchanging file is not modified, and its log is ignored.
    convenience init(_ path: String, isUnchanging: Bool) throws(CBLiteError) {
        // Without the locks and the files that a reader of a WAL database would create.
        try self.init(
            SQLiteLocation(path, followsLinks: true),
            mode: isUnchanging ? .immutable : .readWrite,
            client: ForeignSQLite()
        )
        limitValues(toByteCount: Int32(CBLiteLimits.columnByteCount))
        // A foreign schema may contain code that runs when it is read.
        try execute("PRAGMA trusted_schema = OFF")
        // Reading a mapped file that is truncated, or on a failing disk, ends the process without an error.
        try execute("PRAGMA mmap_size = 0")
        try execute("PRAGMA temp_store = MEMORY")
    }
}

extension SQLiteStatement<ForeignSQLite> {
    /// The bytes of text or data; `nil` for NULL.
    func data(_ column: Int32) -> [UInt8]? {
        isNull(column) ? nil : bytes(column)
    }
}
