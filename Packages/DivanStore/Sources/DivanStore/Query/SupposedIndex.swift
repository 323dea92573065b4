public import DivanJSON
public import DivanQuery

/// An index that is not there, to find out what it would do.
public struct SupposedIndex: Sendable {
    /// Its name, which no other index of the collection has.
    public let name: ExactText
    /// What it would hold.
    public let definition: QueryIndexDefinition
    /// The collection.
    public let collection: CollectionPath

    /// Describes an index.
    public init(
        _ name: ExactText,
        _ definition: QueryIndexDefinition,
        in collection: CollectionPath
    ) {
        self.name = name
        self.definition = definition
        self.collection = collection
    }
}

extension Store {
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

extension IndexRecord {
    init(_ index: SupposedIndex, on table: String) throws(QueryError) {
        let translation = try SQLIndexTranslation(index.definition, name: index.name, table: table)
        self.init(index.name, index.definition.kind, source: "", translation)
    }

    /// Whether it does all that another one could.
    func serves(_ other: IndexRecord) -> Bool {
        kind == other.kind && kind != .fullText && isWhole
            && tables.map(\.name) == other.tables.map(\.name) && keys.starts(with: other.keys)
    }
}
