internal import CDivanStore
internal import DivanRevisions

/// A prepared statement that is kept and run many times.
///
/// Bind, step until `step()` returns `false`, `reset()`. Columns are read between two steps. A
/// statement left between rows keeps its snapshot open, so every user resets it.
final class SQLiteStatement {
    /// Finalized in `deinit` only.
    let handle: OpaquePointer
    // Keeps the connection open for as long as the statement lives.
    private let connection: SQLiteConnection

    init(_ handle: OpaquePointer, on connection: SQLiteConnection) {
        self.handle = handle
        self.connection = connection
    }

    deinit {
        sqlite3_finalize(handle)
    }

    // MARK: Parameters, counted from 1

    func bind(_ value: Int64, at index: Int32) throws(StoreError) {
        try check(sqlite3_bind_int64(handle, index, value))
    }

    func bind(_ value: Int64?, at index: Int32) throws(StoreError) {
        try check(
            value.map { sqlite3_bind_int64(handle, index, $0) }
                ?? sqlite3_bind_null(handle, index)
        )
    }

    func bind(_ text: String, at index: Int32) throws(StoreError) {
        try check(divan_bind_text(handle, index, text, Int32(clamping: text.utf8.count)))
    }

    func bindText(_ text: [UInt8], at index: Int32) throws(StoreError) {
        let code = text.withUnsafeBytes {
            let start = $0.baseAddress?.assumingMemoryBound(to: CChar.self)
            return divan_bind_text(handle, index, start, Int32(clamping: $0.count))
        }
        try check(code)
    }

    func bind(_ bytes: [UInt8], at index: Int32) throws(StoreError) {
        try check(divan_bind_bytes(handle, index, bytes, Int32(clamping: bytes.count)))
    }

    // MARK: Running

    /// Moves to the next row; `false` if there is none.
    func step() throws(StoreError) -> Bool {
        try hasRow(after: sqlite3_step(handle))
    }

    /// Moves to the one row of a document, whose ID is the only parameter; `false` if there is none.
    ///
    /// The ID is not copied: its memory is read while it is lent. The pointers of `found` belong to
    /// SQLite and are valid until the next step.
    func find(
        _ documentID: DocumentID,
        withBody: Bool,
        _ found: inout divan_found_row
    ) throws(StoreError) -> Bool {
        var text = documentID.text
        return try hasRow(
            after: text.withUTF8 {
                let start = UnsafeRawPointer($0.baseAddress)?.assumingMemoryBound(to: CChar.self)
                let count = Int32(clamping: $0.count)
                return divan_find_row(handle, start, count, withBody ? 1 : 0, &found)
            }
        )
    }

    private func hasRow(after code: Int32) throws(StoreError) -> Bool {
        switch code {
        case SQLITE_ROW:
            return true
        case SQLITE_DONE:
            return false
        case let code:
            let error = connection.error(code)
            sqlite3_reset(handle)
            throw error
        }
    }

    /// Runs a statement that returns no rows, and resets it.
    func run() throws(StoreError) {
        _ = try step()
        reset()
    }

    /// Ends the run.
    ///
    /// Bound values stay until they are bound again.
    func reset() {
        sqlite3_reset(handle)
    }

    /// Clears the bound values: all parameters are then NULL.
    func clearBindings() {
        sqlite3_clear_bindings(handle)
    }

    /// Throws the error for `code` unless it is a success code.
    func check(_ code: Int32) throws(StoreError) {
        guard code == SQLITE_OK || code == SQLITE_DONE else { throw connection.error(code) }
    }

    /// The error for an SQLite result code.
    func error(_ code: Int32) -> StoreError { connection.error(code) }

    /// Unpacks bodies that the statement finds.
    var bodies: SQLiteBodies { connection.bodies }

    /// The file, for error messages.
    var path: String { connection.path }

    /// An error that reports the file as damaged; `detail` says where.
    func corrupt(_ detail: String) -> StoreError {
        StoreError(.corrupt(detail), at: path)
    }

    // MARK: Columns, counted from 0

    func isNull(_ index: Int32) -> Bool { sqlite3_column_type(handle, index) == SQLITE_NULL }

    func integer(_ index: Int32) -> Int64 { sqlite3_column_int64(handle, index) }

    /// The bytes of text or of a blob, copied once.
    func bytes(_ index: Int32) -> [UInt8] {
        withBytes(index) { Array($0) }
    }

    /// The text of a column; invalid UTF-8 is replaced by U+FFFD.
    func text(_ index: Int32) -> String {
        withBytes(index) { String(decoding: $0, as: UTF8.self) }
    }

    /// Lends the bytes of a column; SQLite keeps them valid until the next call for this column.
    func withBytes<T, E: Error>(
        _ index: Int32,
        _ body: (UnsafeBufferPointer<UInt8>) throws(E) -> T
    ) throws(E) -> T {
        let start = sqlite3_column_blob(handle, index)
        let count = Int(sqlite3_column_bytes(handle, index))
        return try body(
            UnsafeBufferPointer(start: start?.assumingMemoryBound(to: UInt8.self), count: count)
        )
    }
}
