/// A transaction; see `Database.write(_:)`.
///
/// While its block runs, every call of the database on the same thread belongs to it. Its own members are the same as
/// those of ``Database``, so that a function can require a transaction by its parameter.
public struct Transaction: Sendable {
    /// The database that is written.
    public let database: Database

    /// A collection, which is created if it does not exist; see `Database.collection(_:)`.
    ///
    /// - Throws: The same errors as `Database.collection(_:)`.
    public func collection(_ name: String) throws -> DocumentCollection {
        try database.collection(name)
    }

    /// The rows of a query that sees the changes of the transaction; see `Database.query(_:_:)`.
    ///
    /// - Throws: The same errors as `Database.query(_:_:)`.
    public func query(
        _ sql: String,
        _ parameters: [String: DocumentValue] = [:]
    ) throws -> Rows {
        try database.query(sql, parameters)
    }
}
