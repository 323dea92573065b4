internal import DivanJSON
public import DivanQuery
internal import DivanSQLiteEngine
@_spi(Database) public import DivanStore

extension Store {
    /// Begins a query on a snapshot of the database, no older than the call.
    ///
    /// The first row of a scan is available immediately, and memory does not grow with the number of rows, unless
    /// the query sorts or groups them. Inside `write` on the same thread, the query sees the changes of that write,
    /// and all rows are read before the call returns. In a store in memory, all rows are read first, too.
    ///
    /// - Throws: `StoreError`, `QueryError` for problems that the checks of the query cannot detect, and
    ///   `QueryStop`.
    public func rows(of query: StorageQuery) throws -> StorageRows {
        try query.checkParameters()
        if !query.statement.vectorSearches.isEmpty { prepareVectorIndexes(of: query.statement) }
        if !isWriting, let querying = engine.querying { return try querying.rows(of: query) }
        let rows = try read { reader in
            var rows: [[QueryValue]] = []
            try reader.current().run(query) { rows.append($0) }
            return rows
        }
        var iterator = rows.makeIterator()
        return StorageRows(titles: query.statement.columns.map(\.title)) { iterator.next() }
    }

    /// Runs a query on the state that a reader of this store sees, and calls `body` with each row as it is found.
    ///
    /// - Throws: As `rows(of:)`; errors of `body`.
    public func forEachRow(
        of query: StorageQuery,
        in reader: StoreReader,
        _ body: ([QueryValue]) throws -> Void
    ) throws {
        try query.checkParameters()
        // For later snapshots: this one sees the index as it was.
        if !query.statement.vectorSearches.isEmpty { prepareVectorIndexes(of: query.statement) }
        try reader.current().run(query, body)
    }

    /// The current plan of a query.
    ///
    /// - Throws: As `rows(of:)`.
    public func plan(of query: StorageQuery) throws -> QueryPlan {
        try read { try $0.current().plan(query) }
    }
}

extension StorageSnapshot {
    /// Runs a query in the engine, or on a copy of the documents if the engine has no queries.
    func run(_ query: StorageQuery, _ body: ([QueryValue]) throws -> Void) throws {
        guard let querying else { return try runOnCopy(query, body) }
        try querying.run(query, body)
    }

    /// The plan of the same.
    func plan(_ query: StorageQuery) throws -> QueryPlan {
        try querying?.plan(query) ?? planOnCopy(query)
    }
}
