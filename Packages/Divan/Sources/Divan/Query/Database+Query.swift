internal import DivanDatabase
internal import DivanQuery

extension Database {
    /// Runs a query in SQL++ and returns its rows.
    ///
    /// ```swift
    /// let total = try db.query("SELECT SUM(price) FROM shop.orders").value(as: Double.self) ?? 0
    /// ```
    ///
    /// - Parameters:
    ///   - sql: The text; collections are named as in `collection(_:)`.
    ///   - parameters: The values of `$name`; never part of the text. A parameter that may be missing has a name that
    ///     begins with `opt_`.
    /// - Returns: All rows.
    /// - Throws: ``DivanError/Code/invalidQuery`` with the position in the text; `missingIndex`; `outOfMemory`;
    ///   `notOpen`.
    public func query(
        _ sql: String,
        _ parameters: [String: DocumentValue] = [:]
    ) throws -> Rows {
        try DivanError.converting(place: place) {
            try RunnableQuery(sql: sql, parameters, of: self).rows()
        }
    }

    /// Runs a query on another thread; cancelling the task stops it.
    ///
    /// - Throws: The same errors as the synchronous call; ``DivanError/Code/cancelled``; `timeout` if it takes longer
    ///   than `limit`.
    public func query(
        _ sql: String,
        _ parameters: [String: DocumentValue] = [:],
        limit: Duration? = nil
    ) async throws -> Rows {
        do {
            return try await Background.cancelling(QueryControl(limit: limit)) { control in
                try await Background.reading {
                    try DivanError.converting(place: self.place) {
                        try RunnableQuery(sql: sql, parameters, of: self).rows(control)
                    }
                }
            }
        } catch {
            throw DivanError(error, place: place)
        }
    }

    /// Calls `body` with each row of a query as it is found, in constant memory unless the query sorts or groups.
    ///
    /// - Throws: The same errors as `query(_:_:)`; errors thrown by `body`, unchanged.
    public func forEachRow(
        _ sql: String,
        _ parameters: [String: DocumentValue] = [:],
        _ body: (Row) throws -> Void
    ) throws {
        try forEachRow(sql, parameters, QueryControl(), body)
    }

    /// Calls `body` with each row of a query on another thread; cancelling the task stops it.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    public func forEachRow(
        _ sql: String,
        _ parameters: [String: DocumentValue] = [:],
        _ body: @escaping @Sendable (Row) throws -> Void
    ) async throws {
        try await Background.cancelling { control in
            try await Background.rethrowing {
                try self.forEachRow(sql, parameters, control, body)
            }
        }
    }

    private func forEachRow(
        _ sql: String,
        _ parameters: [String: DocumentValue],
        _ control: QueryControl,
        _ body: (Row) throws -> Void
    ) throws {
        try DivanError.passing(to: body, place: place) { pass in
            let query = try RunnableQuery(sql: sql, parameters, of: self)
            let columns = query.columns
            try query.forEachRow(control) { try pass(Row(columns, $0)) }
        }
    }

    /// Describes how a query runs: `SCAN` means that all documents are read, `USING INDEX` that an index is used.
    ///
    /// A `note` at the end shows a text index that finds nothing because its path leads through an array; to determine
    /// this, documents are read.
    ///
    /// - Throws: The same errors as `query(_:_:)`.
    public func explain(
        _ sql: String,
        _ parameters: [String: DocumentValue] = [:]
    ) throws -> String {
        try DivanError.converting(place: place) {
            try RunnableQuery(sql: sql, parameters, of: self).explanation()
        }
    }

    /// Describes how a query runs; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    public func explain(
        _ sql: String,
        _ parameters: [String: DocumentValue] = [:]
    ) async throws -> String {
        try await Background.reading { try self.explain(sql, parameters) }
    }
}
