public import CDivanSQLite

/// A prepared statement that is kept and run many times; used by the thread of its connection.
///
/// Bind, step until `step()` returns `false`, `reset()`. Columns are read between two steps. A
/// statement left between rows keeps its snapshot open, so every user resets it.
public final class SQLiteStatement<Client: SQLiteClient> {
    /// The `sqlite3_stmt` handle, for functions in C.
    ///
    /// Finalized in `deinit` only.
    public let handle: OpaquePointer
    /// Open for as long as the statement lives.
    public let connection: SQLiteConnection<Client>

    init(_ handle: OpaquePointer, on connection: SQLiteConnection<Client>) {
        self.handle = handle
        self.connection = connection
    }

    deinit {
        sqlite3_finalize(handle)
    }

    // MARK: Parameters, counted from 1

    /// Binds an integer.
    @inlinable
    public func bind(_ value: Int64, at index: Int32) throws(Client.Failure) {
        try check(sqlite3_bind_int64(handle, index, value))
    }

    /// Binds an integer, or NULL.
    @inlinable
    public func bind(_ value: Int64?, at index: Int32) throws(Client.Failure) {
        try check(
            value.map { sqlite3_bind_int64(handle, index, $0) }
                ?? sqlite3_bind_null(handle, index)
        )
    }

    /// Binds a floating-point number; SQLite makes a NaN NULL.
    @inlinable
    public func bind(double value: Double, at index: Int32) throws(Client.Failure) {
        try check(sqlite3_bind_double(handle, index, value))
    }

    /// Binds a text, which is copied.
    @inlinable
    public func bind(_ text: String, at index: Int32) throws(Client.Failure) {
        try check(divan_bind_text(handle, index, text, Int32(clamping: text.utf8.count)))
    }

    /// Binds a text in UTF-8, which is copied.
    @inlinable
    public func bindText(_ text: [UInt8], at index: Int32) throws(Client.Failure) {
        let code = text.withUnsafeBytes {
            let start = $0.baseAddress?.assumingMemoryBound(to: CChar.self)
            return divan_bind_text(handle, index, start, Int32(clamping: $0.count))
        }
        try check(code)
    }

    /// Binds a text in UTF-8 that is not copied.
    ///
    /// The caller keeps the memory until the last step, or until it binds another value.
    @inlinable
    public func bindLent(
        text: UnsafeRawBufferPointer,
        at index: Int32
    ) throws(Client.Failure) {
        let start = text.baseAddress?.assumingMemoryBound(to: CChar.self)
        try check(sqlite3_bind_text(handle, index, start, Int32(clamping: text.count), nil))
    }

    /// Binds a blob, which is copied.
    @inlinable
    public func bind(_ bytes: [UInt8], at index: Int32) throws(Client.Failure) {
        try check(divan_bind_bytes(handle, index, bytes, Int32(clamping: bytes.count)))
    }

    /// Binds a blob that is not copied.
    ///
    /// The caller keeps the memory until the last step, or until it binds another value.
    @inlinable
    public func bindLent(
        blob: UnsafeRawBufferPointer,
        at index: Int32
    ) throws(Client.Failure) {
        guard let start = blob.baseAddress else {
            return try check(sqlite3_bind_zeroblob(handle, index, 0))
        }
        try check(sqlite3_bind_blob(handle, index, start, Int32(clamping: blob.count), nil))
    }

    /// Clears the bound values: all parameters are then NULL.
    @inlinable
    public func clearBindings() {
        sqlite3_clear_bindings(handle)
    }

    // MARK: Running

    /// Moves to the next row; `false` if there is none.
    ///
    /// After an error the statement is reset.
    @inlinable
    public func step() throws(Client.Failure) -> Bool {
        try hasRow(after: sqlite3_step(handle))
    }

    /// Whether a step with this result code found a row.
    ///
    /// - Throws: The error for another code; the statement is reset then.
    @inlinable
    public func hasRow(after code: Int32) throws(Client.Failure) -> Bool {
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        throw resetting(after: code)
    }

    /// The error for a result code; resets the statement.
    @usableFromInline
    func resetting(after code: Int32) -> Client.Failure {
        let failure = connection.error(code)
        sqlite3_reset(handle)
        return failure
    }

    /// Runs a statement that returns no rows, and resets it.
    @inlinable
    public func run() throws(Client.Failure) {
        _ = try step()
        reset()
    }

    /// Ends the run.
    ///
    /// Bound values stay until they are bound again.
    @inlinable
    public func reset() {
        sqlite3_reset(handle)
    }

    /// Throws the error for `code` unless it is a success code.
    @inlinable
    public func check(_ code: Int32) throws(Client.Failure) {
        guard code == SQLITE_OK || code == SQLITE_DONE else { throw connection.error(code) }
    }

    /// The error for an SQLite result code.
    public func error(_ code: Int32) -> Client.Failure { connection.error(code) }

    /// The file, for error messages.
    public var path: String { connection.path }

    // MARK: Columns, counted from 0

    /// Whether a column is NULL.
    @inlinable
    public func isNull(_ index: Int32) -> Bool {
        sqlite3_column_type(handle, index) == SQLITE_NULL
    }

    /// The integer of a column; other values are converted by SQLite, NULL to 0.
    @inlinable
    public func integer(_ index: Int32) -> Int64 { sqlite3_column_int64(handle, index) }

    /// The bytes of text or of a blob, copied once.
    @inlinable
    public func bytes(_ index: Int32) -> [UInt8] {
        withBytes(index) { Array($0) }
    }

    /// The text of a column; invalid UTF-8 is replaced by U+FFFD.
    @inlinable
    public func text(_ index: Int32) -> String {
        withBytes(index) { String(decoding: $0, as: UTF8.self) }
    }

    /// Lends the bytes of a column; SQLite keeps them valid until the next call for this column.
    @inlinable
    public func withBytes<T, E: Error>(
        _ index: Int32,
        _ body: (UnsafeBufferPointer<UInt8>) throws(E) -> T
    ) throws(E) -> T {
        let start = sqlite3_column_blob(handle, index)
        let count = Int(sqlite3_column_bytes(handle, index))
        return try body(
            UnsafeBufferPointer(start: start?.assumingMemoryBound(to: UInt8.self), count: count)
        )
    }

    /// The value of a column with its type, looked up once.
    ///
    /// SQLite keeps lent bytes valid until the next step or reset.
    @inlinable
    public func value(_ index: Int32) -> SQLiteValue {
        // Safe because the caller is the only user of the connection.
        let value = sqlite3_column_value(handle, index)
        switch sqlite3_value_type(value) {
        case SQLITE_NULL: return .null
        case SQLITE_INTEGER: return .integer(sqlite3_value_int64(value))
        case SQLITE_FLOAT: return .double(sqlite3_value_double(value))
        case let type:
            let bytes = UnsafeBufferPointer(
                start: sqlite3_value_blob(value)?.assumingMemoryBound(to: UInt8.self),
                count: Int(sqlite3_value_bytes(value))
            )
            return type == SQLITE_TEXT ? .text(bytes) : .blob(bytes)
        }
    }
}

/// A value in a row; its bytes belong to SQLite.
@frozen
public enum SQLiteValue {
    /// NULL.
    case null
    /// A signed integer.
    case integer(Int64)
    /// A floating-point number.
    case double(Double)
    /// Text in UTF-8, which may be invalid.
    case text(UnsafeBufferPointer<UInt8>)
    /// Bytes.
    case blob(UnsafeBufferPointer<UInt8>)
}
