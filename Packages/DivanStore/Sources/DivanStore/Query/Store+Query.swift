internal import DivanJSON
public import DivanQuery

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
        guard isWriting else { return try engine.rows(of: query) }
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

extension StorageQuery {
    /// Rejects values for parameters that the query does not have.
    func checkParameters() throws(QueryError) {
        guard !parameters.isEmpty else { return }
        let unknown = parameters.keys.filter { !statement.parameters.contains($0) }.min()
        guard let unknown else { return }
        throw QueryError(
            "Unknown query property '\(unknown.text)'",
            code: .invalidQueryParameter
        )
    }
}

extension QueryCollection {
    /// Converts a collection path to the form that queries and indexes use.
    public init(_ path: CollectionPath) {
        self.init(scope: ExactText(path.scope), name: ExactText(path.name))
    }
}

extension CollectionPath {
    /// The collection in a query; `nil` if it is not a valid collection name.
    public init?(_ collection: QueryCollection) {
        self.init(scope: collection.scope.text, name: collection.name.text)
    }
}
