/// The documents of a collection that a commit changed, deleted or purged.
///
/// When a listener runs, the documents may have changed again or no longer exist.
public struct CollectionChange: Sendable {
    /// The collection.
    public let collection: Collection
    /// Each changed document once, at most 1000; larger commits arrive as several changes.
    public let documentIDs: [String]
}

/// One document that changed.
public struct DocumentChange: Sendable {
    /// The document.
    public let documentID: String
    /// The collection it belongs to.
    public let collection: Collection

    /// The database it belongs to.
    @available(*, deprecated, message: "Use collection.database.")
    public var database: Database { collection.database }
}

/// Documents of the default collection that changed in one commit.
@available(*, deprecated, message: "Use CollectionChange.")
public struct DatabaseChange: Sendable {
    /// The database.
    public let database: Database
    /// Each changed document once.
    public let documentIDs: [String]
}

extension CollectionChange {
    /// The same change for an equal collection.
    func told(of collection: Collection) -> CollectionChange {
        CollectionChange(collection: collection, documentIDs: documentIDs)
    }
}

extension DocumentChange {
    /// The same change for an equal collection.
    func told(of collection: Collection) -> DocumentChange {
        DocumentChange(documentID: documentID, collection: collection)
    }
}
