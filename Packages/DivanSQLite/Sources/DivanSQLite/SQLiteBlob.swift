internal import CDivanSQLite

/// The bytes of one blob or text, read and written in its pages.
///
/// SQLite assembles the value of a column in memory before it can be copied; this does not. Used by the thread of
/// its connection, and valid until the row changes. The size of a value cannot be changed.
public final class SQLiteBlob<Client: SQLiteClient> {
    // Closed in `deinit` only; holds the connection, which outlives it.
    private let handle: OpaquePointer
    private let connection: SQLiteConnection<Client>
    /// Bytes of the value.
    public let byteCount: Int

    /// Opens a value of the database `main`.
    ///
    /// - Parameters:
    ///   - column: The column, which contains text or a blob.
    ///   - table: The table, which has row IDs.
    ///   - row: The row ID.
    ///   - connection: The connection, which the blob keeps open.
    ///   - isWritten: Whether it is written, too.
    /// - Throws: SQLite's error, such as for a missing row or column, or a value that is neither text nor a blob.
    public init(
        of column: String,
        in table: String,
        row: Int64,
        on connection: SQLiteConnection<Client>,
        isWritten: Bool = false
    ) throws(Client.Failure) {
        var opened: OpaquePointer?
        let code = sqlite3_blob_open(
            connection.handle,
            "main",
            table,
            column,
            row,
            isWritten ? 1 : 0,
            &opened
        )
        guard code == SQLITE_OK, let opened else { throw connection.error(code) }
        handle = opened
        self.connection = connection
        byteCount = Int(sqlite3_blob_bytes(opened))
    }

    deinit {
        sqlite3_blob_close(handle)
    }

    /// All bytes.
    public func bytes() throws(Client.Failure) -> [UInt8] {
        var code = SQLITE_ERROR
        let bytes = [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, initialized in
            code = sqlite3_blob_read(handle, buffer.baseAddress, Int32(clamping: byteCount), 0)
            // Every byte is written if the call succeeds, and none is used otherwise.
            initialized = code == SQLITE_OK ? byteCount : 0
        }
        guard code == SQLITE_OK else { throw connection.error(code) }
        return bytes
    }

    /// Replaces bytes from an offset on.
    ///
    /// - Throws: SQLite's error, such as for bytes beyond the end of the value.
    public func write(_ bytes: [UInt8], at offset: Int) throws(Client.Failure) {
        let code = sqlite3_blob_write(
            handle,
            bytes,
            Int32(clamping: bytes.count),
            Int32(clamping: offset)
        )
        guard code == SQLITE_OK else { throw connection.error(code) }
    }
}
