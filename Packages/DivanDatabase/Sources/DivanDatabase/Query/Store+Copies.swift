public import DivanSQLiteEngine
@_spi(Database) public import DivanStore

// Queries that are run on a copy of what they read.
extension Store {
    /// Begins a query on the accessible documents only; its memory and time grow with all of these documents.
    ///
    /// Sequences are those of the copy. Indexes, including full-text indexes, contain only these documents.
    ///
    /// - Throws: As `rows(of:)`; `QueryError` if the documents exceed the limit of `sight`.
    public func rows(of query: StorageQuery, in sight: QueryVisibility) throws -> StorageRows {
        try query.checkParameters()
        return try read { reader in
            try QueryMirror(of: reader.current(), for: query, in: sight).rows(of: query)
        }
    }

    /// The plan of a query with additional hypothetical indexes; `QueryPlan.indexes` contains those that would be
    /// used.
    ///
    /// Nothing is stored and no document is read: the plan is created in an empty database with the same
    /// collections and indexes. An index that begins like an existing index is omitted.
    ///
    /// - Throws: As `rows(of:)`; `QueryError` for expressions that cannot be indexed.
    public func plan(
        of query: StorageQuery,
        supposing indexes: [HypotheticalIndex]
    ) throws -> QueryPlan {
        try read { reader in
            let mirror = try QueryMirror(
                planning: query,
                on: reader.current(),
                supposing: indexes
            )
            return try mirror.plan(query)
        }
    }
}
