internal import CDivanSQLiteEngine
internal import DivanFullText
internal import DivanRevisions
internal import DivanSQL
internal import DivanStorage

/// The functions that queries call on a connection: those of the language, and those that read our rows.
enum SQLiteQueryFunctions {
    /// Returns SQLite's result code.
    static func add(to connection: OpaquePointer, unpackingBy bodies: SQLiteBodies) -> Int32 {
        var code = SQLFunctions.add(to: connection, unpacker: bodies)
        if code == SQLITE_OK { code = FullText.add(to: connection) }
        if code == SQLITE_OK { code = SQLitePredictions.add(to: connection) }
        guard code == SQLITE_OK else { return code }
        return sqlite3_create_function_v2(
            connection,
            "divan_revision",
            1,
            SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
            nil,
            { context, _, arguments in SQLiteQueryFunctions.revision(context, arguments?.pointee) },
            nil,
            nil,
            nil
        )
    }

    /// The text of a revision ID as stored in rows; NULL if it is not one.
    private static func revision(_ context: OpaquePointer?, _ argument: OpaquePointer?) {
        let bytes = SQLiteArgument.bytes(argument)
        guard let revisionID = RevisionID(encoded: bytes.span) else {
            return sqlite3_result_null(context)
        }
        let text = revisionID.description
        divan_give_text(context, text, Int32(clamping: text.utf8.count))
    }
}
