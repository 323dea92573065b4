// A dictionary literal of literals is a `[String: DocumentValue]`. One that contains variables of other types is not,
// so these overloads accept it: `["price": price, "done": false]`.

extension Database {
    /// Runs a query with parameters that are values of variables; see ``query(_:_:)``.
    ///
    /// ```swift
    /// let rows = try db.query("SELECT name FROM chairs WHERE price < $limit", ["limit": limit])
    /// ```
    ///
    /// - Throws: The same errors.
    @_disfavoredOverload
    public func query(
        _ sql: String,
        _ parameters: [String: any DocumentValueConvertible]
    ) throws -> Rows {
        try query(sql, parameters.documentValues)
    }

    /// The same on another thread; cancelling the task stops it.
    ///
    /// - Throws: The same errors as ``query(_:_:limit:)``.
    @_disfavoredOverload
    public func query(
        _ sql: String,
        _ parameters: [String: any DocumentValueConvertible],
        limit: Duration? = nil
    ) async throws -> Rows {
        try await query(sql, parameters.documentValues, limit: limit)
    }

    /// The rows of a query with parameters that are values of variables; see ``live(_:_:)``.
    @_disfavoredOverload
    public func live(
        _ sql: String,
        _ parameters: [String: any DocumentValueConvertible]
    ) -> Updates<Rows, any Error> {
        live(sql, parameters.documentValues)
    }

    /// The rows as a type of a query with parameters that are values of variables; see ``live(_:_:as:)``.
    @_disfavoredOverload
    public func live<Model: Decodable & Sendable>(
        _ sql: String,
        _ parameters: [String: any DocumentValueConvertible],
        as type: Model.Type
    ) -> Updates<[Model], any Error> {
        live(sql, parameters.documentValues, as: type)
    }
}

extension Snapshot {
    /// The rows of a query with parameters that are values of variables; see `Database.query(_:_:)`.
    ///
    /// - Throws: The same errors.
    @_disfavoredOverload
    public func query(
        _ sql: String,
        _ parameters: [String: any DocumentValueConvertible]
    ) throws -> Rows {
        try query(sql, parameters.documentValues)
    }
}

extension Transaction {
    /// The rows of a query with parameters that are values of variables; see `Database.query(_:_:)`.
    ///
    /// - Throws: The same errors.
    @_disfavoredOverload
    public func query(
        _ sql: String,
        _ parameters: [String: any DocumentValueConvertible]
    ) throws -> Rows {
        try query(sql, parameters.documentValues)
    }
}

extension Document {
    /// Creates a document that is not stored yet from values of variables: `Document(["price": price, "sold": false])`.
    @_disfavoredOverload
    public init(id: String? = nil, _ properties: [String: any DocumentValueConvertible]) {
        self.init(id: id, properties.documentValues)
    }
}

extension [String: any DocumentValueConvertible] {
    fileprivate var documentValues: [String: DocumentValue] { mapValues(\.documentValue) }
}
