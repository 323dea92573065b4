public import DivanJSON
public import DivanQuery

/// A store as seen by the checks of a query.
///
/// Each question is answered by the state of that moment. May be used by several threads.
public struct StoreCatalogue: QueryCatalogue, Sendable {
    private let store: Store
    /// The name by which `FROM` may also refer to the default collection.
    public let databaseName: ExactText

    /// Creates the catalogue of a store; `name` is that of its database.
    public init(_ store: Store, named name: ExactText) {
        self.store = store
        databaseName = name
    }

    /// The collections by their names in `FROM`.
    ///
    /// - Throws: `StoreError`.
    public func collectionNames() throws -> [String] {
        try store.read { try $0.collections().map(\.wireName) }
    }

    /// Whether there is such a collection.
    ///
    /// - Throws: `StoreError`.
    public func hasCollection(_ collection: QueryCollection) throws -> Bool {
        guard let path = CollectionPath(collection) else { return false }
        return try store.hasCollection(path)
    }

    /// Whether a collection has a full-text index of that name.
    ///
    /// - Throws: `StoreError`.
    public func hasFullTextIndex(_ name: ExactText, in collection: QueryCollection) throws -> Bool {
        guard let path = CollectionPath(collection) else { return false }
        return try store.read { reader in
            try reader.indexes(in: path).contains { $0.name == name && $0.kind == .fullText }
        }
    }
}
