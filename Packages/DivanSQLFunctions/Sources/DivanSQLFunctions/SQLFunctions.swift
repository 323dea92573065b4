internal import CDivanSQLFunctions

/// The functions, collations and tables with which SQLite answers SQL++.
///
/// Every name begins with `divan_`. `divan_value1` may stand in the schema of a file, as the
/// expression of an index: what it returns never changes, and another meaning gets another number.
public enum SQLFunctions {
    /// Gives them to a connection, before any statement touches a table whose schema names one.
    ///
    /// - Parameter connection: The `sqlite3 *`; used on the thread that uses the connection.
    /// - Returns: SQLite's result code, 0 for success.
    public static func add(to connection: OpaquePointer) -> Int32 {
        divan_add_sql_functions(connection)
    }

    /// The version of the rules that order text under a `UNICODE` collation, such as `72.1`.
    ///
    /// An index in such an order is good for one version only.
    public static var unicodeVersion: String { String(cString: divan_unicode_version()) }
}
