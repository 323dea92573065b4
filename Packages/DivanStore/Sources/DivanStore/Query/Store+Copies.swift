// Queries that are run on a copy of what they read.
extension Store {
    /// Begins a query over only the documents in sight; takes memory and time for all of them,
    /// whatever it asks.
    ///
    /// Sequences are those of the copy. Indexes, including full-text ones, exist and know nothing of
    /// the other documents.
    ///
    /// - Throws: As `rows(of:)`; `QueryError` if there is more than the sight's limit.
    public func rows(of query: StorageQuery, in sight: QuerySight) throws -> StorageRows {
        try query.checkParameters()
        return try read { reader in
            try QueryMirror(of: reader.current(), for: query, in: sight).rows(of: query)
        }
    }

    /// How a query would be run if there were further indexes; `QueryPlan.indexes` has those that
    /// would be used.
    ///
    /// Nothing is stored and no document is read: the plan is made in an empty database with the
    /// same collections and indexes. An index that begins like an existing one is left out.
    ///
    /// - Throws: As `rows(of:)`; `QueryError` for what cannot be indexed.
    public func plan(
        of query: StorageQuery,
        supposing indexes: [SupposedIndex]
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
