public import DivanJSON

/// What the checks of a query must know of a database.
public protocol QueryCatalogue {
    /// The name under which `FROM` may also speak of the default collection.
    var databaseName: ExactText { get }

    /// The collections as `FROM` has them, for messages; none where they are nobody's business.
    func collectionNames() throws -> [String]

    /// Whether there is such a collection.
    func hasCollection(_ collection: QueryCollection) throws -> Bool

    /// Whether a collection has a full-text index of that name.
    func hasFullTextIndex(_ name: ExactText, in collection: QueryCollection) throws -> Bool
}

extension QueryCatalogue {
    /// None: messages name no collection.
    public func collectionNames() throws -> [String] { [] }
}
