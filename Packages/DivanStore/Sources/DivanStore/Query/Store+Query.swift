internal import DivanJSON
public import DivanQuery

extension Store {
    /// Begins a query on a single state of the database, no older than the call.
    ///
    /// The first row of a scan is available at once, and memory does not grow with the number of
    /// rows, unless the query sorts or groups them. Inside `write` on the same thread it sees the
    /// changes of that write, and all rows are read before the call returns; the same applies to a
    /// store in memory.
    ///
    /// - Throws: `StoreError`, `QueryError` for what the checks of the query could not see, and
    ///   `QueryStop`.
    public func rows(of query: StorageQuery) throws -> StorageRows {
        try query.checkParameters()
        guard isWriting else { return try engine.rows(of: query) }
        let rows = try read { reader in
            var rows: [[QueryValue]] = []
            try reader.current().run(query) { rows.append($0) }
            return rows
        }
        var iterator = rows.makeIterator()
        return StorageRows(titles: query.statement.columns.map(\.title)) { iterator.next() }
    }

    /// How a query would be run now.
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
    /// A collection of the store, as queries and indexes name it.
    public init(_ path: CollectionPath) {
        self.init(scope: ExactText(path.scope), name: ExactText(path.name))
    }
}

extension CollectionPath {
    /// The collection that a query names; `nil` if no collection can have that name.
    public init?(_ collection: QueryCollection) {
        self.init(scope: collection.scope.text, name: collection.name.text)
    }
}
