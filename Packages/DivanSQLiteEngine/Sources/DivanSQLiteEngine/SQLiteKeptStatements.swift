internal import DivanSQLite
internal import DivanStorage

/// The prepared statements of one connection, which its session keeps.
///
/// The connection's functions use them through a weak reference. It is one to this object, because retaining the
/// session, which each read does several times, would cost more if weak references to the session existed.
final class SQLiteKeptStatements {
    private var prepared: [String: StoreStatement] = [:]
    /// Idle compiled queries.
    let queries = SQLiteQueryStatements()

    /// The statement with this text, prepared once.
    func statement(
        _ sql: String,
        on connection: StoreConnection
    ) throws(StoreError) -> StoreStatement {
        if let statement = prepared[sql] { return statement }
        let statement = try connection.prepare(sql)
        prepared[sql] = statement
        return statement
    }

    /// Finalizes all of them.
    func forget() {
        prepared = [:]
        queries.forget()
    }
}
