public import DivanJSON

/// What checking a query needs to know about a database.
public protocol QueryCatalogue {
    /// The name by which `FROM` may also refer to the default collection.
    var databaseName: ExactText { get }

    /// The collections as `FROM` names them, for messages; empty if they are not to be disclosed.
    func collectionNames() throws -> [String]

    /// Whether the collection exists.
    func hasCollection(_ collection: QueryCollection) throws -> Bool

    /// Whether the collection has a full-text index of that name.
    func hasFullTextIndex(_ name: ExactText, in collection: QueryCollection) throws -> Bool
}

extension QueryCatalogue {
    /// None: messages name no collection.
    public func collectionNames() throws -> [String] { [] }
}
