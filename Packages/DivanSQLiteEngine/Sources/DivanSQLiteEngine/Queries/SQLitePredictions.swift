internal import CDivanSQLiteEngine
internal import DivanJSON
internal import DivanStorage

/// The functions with which statements call models.
///
/// - `divan_prediction1(model, input)`: the output, in exact form; MISSING without a model, an input or an output. An
///   input that is not an object is an error.
/// - `divan_stored_prediction1(model, input)`: the same in the schema of a file, where an error would prevent saves:
///   such an input has no output.
enum SQLitePredictions {
    /// Returns SQLite's result code.
    static func add(to connection: OpaquePointer) -> Int32 {
        // Not innocuous: a file from elsewhere must not call the application's code from a view.
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC
        let code = sqlite3_create_function_v2(
            connection,
            "divan_prediction1",
            2,
            flags,
            nil,
            { context, _, arguments in SQLitePredictions.predict(context, arguments, fails: true) },
            nil,
            nil,
            nil
        )
        guard code == SQLITE_OK else { return code }
        return sqlite3_create_function_v2(
            connection,
            "divan_stored_prediction1",
            2,
            flags | SQLITE_INNOCUOUS,
            nil,
            { context, _, arguments in SQLitePredictions.predict(context, arguments, fails: false)
            },
            nil,
            nil,
            nil
        )
    }

    private static func predict(
        _ context: OpaquePointer?,
        _ arguments: UnsafeMutablePointer<OpaquePointer?>?,
        fails: Bool
    ) {
        guard let arguments, sqlite3_value_type(arguments[1]) != SQLITE_NULL else {
            return sqlite3_result_null(context)
        }
        // Objects and arrays are blobs here; a text that begins like an object is still a text.
        let input = Array(SQLiteArgument.bytes(arguments[1]))
        guard sqlite3_value_type(arguments[1]) == SQLITE_BLOB, input.first == UInt8(ascii: "{")
        else {
            guard fails else { return sqlite3_result_null(context) }
            return sqlite3_result_error(context, "the input of PREDICTION() must be an object", -1)
        }
        let name = SQLiteArgument.text(arguments[0])
        let connection = sqlite3_context_db_handle(context)
        let file = sqlite3_db_filename(connection, "main").map { String(cString: $0) } ?? ""
        guard let model = PredictiveModels.model(named: name), let output = model(input, file)
        else {
            return sqlite3_result_null(context)
        }
        output.withUnsafeBufferPointer {
            divan_give_bytes(context, $0.baseAddress, UInt64($0.count))
        }
    }
}
