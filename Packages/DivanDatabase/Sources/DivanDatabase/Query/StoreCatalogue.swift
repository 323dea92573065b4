public import DivanJSON
public import DivanQuery
public import DivanStore

/// The collections and indexes of a store, for the checks of a query.
///
/// Each call reads the current state. Can be used by several threads.
public struct StoreCatalogue: QueryCatalogue, Sendable {
    private let store: Store
    /// An alternative name for the default collection in `FROM`.
    public let databaseName: ExactText

    /// Creates the catalogue of a store; `name` is the name of the database.
    public init(_ store: Store, named name: ExactText) {
        self.store = store
        databaseName = name
    }

    /// The names of the collections in `FROM`.
    ///
    /// - Throws: `StoreError`.
    public func collectionNames() throws -> [String] {
        try store.read { try $0.collections().map(\.wireName) }
    }

    /// Whether the collection exists.
    ///
    /// - Throws: `StoreError`.
    public func hasCollection(_ collection: QueryCollection) throws -> Bool {
        guard let path = CollectionPath(collection) else { return false }
        return try store.hasCollection(path)
    }

    /// The vector indexes of a collection.
    ///
    /// - Throws: `StoreError`.
    public func vectorIndexes(in collection: QueryCollection) throws -> [QueryVectorIndex] {
        guard let path = CollectionPath(collection) else { return [] }
        return try store.read { try $0.indexes(in: path).compactMap(\.vectors) }
    }

    /// Whether a collection has a full-text index with this name.
    ///
    /// - Throws: `StoreError`.
    public func hasFullTextIndex(_ name: ExactText, in collection: QueryCollection) throws -> Bool {
        guard let path = CollectionPath(collection) else { return false }
        return try store.read { reader in
            try reader.indexes(in: path).contains { $0.name == name && $0.kind == .fullText }
        }
    }
}
