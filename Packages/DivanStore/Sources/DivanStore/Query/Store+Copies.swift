// Queries that are run in a copy of what they ask.
extension Store {
    /// Begins a query over the documents alone that are in sight; it takes memory and time for all of
    /// them, whatever it asks.
    ///
    /// Change numbers are those of the copy. Indexes, also of full text, are there and know nothing of
    /// the others.
    ///
    /// - Throws: As `rows(of:)`; `QueryError` where there is more than the sight's limit.
    public func rows(of query: StorageQuery, in sight: QuerySight) throws -> StorageRows {
        try query.checkParameters()
        return try read { reader in
            try QueryMirror(of: reader.current(), for: query, in: sight).rows(of: query)
        }
    }

    /// How a query would be run if there were further indexes; those that would be used are in
    /// `QueryPlan.indexes`.
    ///
    /// Nothing is stored and no document is read: the plan is made in an empty database with the
    /// same collections and indexes. An index that begins as one that is there is left out.
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
