public import DivanJSON

/// The facts about a database that are needed to check a query.
public protocol QueryCatalogue {
    /// An alternative name for the default collection in `FROM`.
    var databaseName: ExactText { get }

    /// The names of the collections in `FROM`, for error messages; empty to disclose none.
    func collectionNames() throws -> [String]

    /// Whether the collection exists.
    func hasCollection(_ collection: QueryCollection) throws -> Bool

    /// Whether the collection has a full-text index with this name.
    func hasFullTextIndex(_ name: ExactText, in collection: QueryCollection) throws -> Bool

    /// The vector indexes of the collection.
    func vectorIndexes(in collection: QueryCollection) throws -> [QueryVectorIndex]
}

extension QueryCatalogue {
    /// Empty: error messages list no collections.
    public func collectionNames() throws -> [String] { [] }

    /// None.
    public func vectorIndexes(in collection: QueryCollection) throws -> [QueryVectorIndex] { [] }
}
