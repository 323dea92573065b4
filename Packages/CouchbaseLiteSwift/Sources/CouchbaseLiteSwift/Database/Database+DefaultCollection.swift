public import Dispatch
public import Foundation

/// Documents of the default collection, for code written before there were collections.
///
/// Calls that do not throw stop the program when the database is closed, as in the official SDK.
extension Database {
    /// Number of documents in the default collection.
    @available(*, deprecated, message: "Use defaultCollection().count.")
    public var count: UInt64 { requiredDefaultCollection.count }

    /// Returns a document, or `nil` if it does not exist.
    @available(*, deprecated, message: "Use defaultCollection().document(id:).")
    public func document(withID id: String) -> Document? {
        requiredDefaultCollection[id].document
    }

    /// The document with the ID `key`, as the start of a path.
    @available(*, deprecated, message: "Use defaultCollection().")
    public subscript(key: String) -> DocumentFragment { requiredDefaultCollection[key] }

    /// Saves a document; overwrites other changes (last write wins).
    @available(*, deprecated, message: "Use defaultCollection().save(document:).")
    public func saveDocument(_ document: MutableDocument) throws {
        try defaultCollection().save(document: document)
    }

    /// Saves a document; returns whether it was saved.
    @available(
        *,
        deprecated,
        message: "Use defaultCollection().save(document:concurrencyControl:)."
    )
    @discardableResult
    public func saveDocument(
        _ document: MutableDocument,
        concurrencyControl: ConcurrencyControl
    ) throws -> Bool {
        try defaultCollection().save(document: document, concurrencyControl: concurrencyControl)
    }

    /// Saves a document; calls `conflictHandler` if the stored one was changed.
    @available(*, deprecated, message: "Use defaultCollection().save(document:conflictHandler:).")
    @discardableResult
    public func saveDocument(
        _ document: MutableDocument,
        conflictHandler: @escaping (MutableDocument, Document?) -> Bool
    ) throws -> Bool {
        try defaultCollection().save(document: document, conflictHandler: conflictHandler)
    }

    /// Deletes a document, even if it was changed since it was read.
    @available(*, deprecated, message: "Use defaultCollection().delete(document:).")
    public func deleteDocument(_ document: Document) throws {
        try defaultCollection().delete(document: document)
    }

    /// Deletes a document; returns whether it was deleted.
    @available(
        *,
        deprecated,
        message: "Use defaultCollection().delete(document:concurrencyControl:)."
    )
    @discardableResult
    public func deleteDocument(
        _ document: Document,
        concurrencyControl: ConcurrencyControl
    ) throws -> Bool {
        try defaultCollection().delete(document: document, concurrencyControl: concurrencyControl)
    }

    /// Purges a document from this database; this does not replicate.
    @available(*, deprecated, message: "Use defaultCollection().purge(document:).")
    public func purgeDocument(_ document: Document) throws {
        try defaultCollection().purge(document: document)
    }

    /// Purges a document from this database; this does not replicate.
    @available(*, deprecated, message: "Use defaultCollection().purge(id:).")
    public func purgeDocument(withID documentID: String) throws {
        try defaultCollection().purge(id: documentID)
    }

    /// Sets when a document expires and is purged; `nil` means never.
    @available(
        *,
        deprecated,
        message: "Use defaultCollection().setDocumentExpiration(id:expiration:)."
    )
    public func setDocumentExpiration(withID documentID: String, expiration: Date?) throws {
        try defaultCollection().setDocumentExpiration(id: documentID, expiration: expiration)
    }

    /// Returns when a document expires, or `nil`.
    @available(*, deprecated, message: "Use defaultCollection().getDocumentExpiration(id:).")
    public func getDocumentExpiration(withID documentID: String) -> Date? {
        let collection = requiredDefaultCollection
        return collection.orWarn("expiration of document \(documentID)") {
            try collection.getDocumentExpiration(id: documentID)
        }
    }

    /// Adds a listener for changes to any document.
    @available(*, deprecated, message: "Use defaultCollection().addChangeListener(listener:).")
    @preconcurrency
    @discardableResult
    public func addChangeListener(
        _ listener: @escaping @Sendable (DatabaseChange) -> Void
    ) -> ListenerToken {
        addChangeListener(withQueue: nil, listener: listener)
    }

    /// Adds a listener for changes to any document; it runs on `queue`.
    @available(
        *,
        deprecated,
        message: "Use defaultCollection().addChangeListener(queue:listener:)."
    )
    @preconcurrency
    @discardableResult
    public func addChangeListener(
        withQueue queue: DispatchQueue?,
        listener: @escaping @Sendable (DatabaseChange) -> Void
    ) -> ListenerToken {
        requiredDefaultCollection.addChangeListener(queue: queue) { change in
            listener(
                DatabaseChange(
                    database: change.collection.database,
                    documentIDs: change.documentIDs
                )
            )
        }
    }

    /// Adds a listener for one document.
    @available(
        *,
        deprecated,
        message: "Use addDocumentChangeListener(id:listener:) of a collection."
    )
    @preconcurrency
    @discardableResult
    public func addDocumentChangeListener(
        withID id: String,
        listener: @escaping @Sendable (DocumentChange) -> Void
    ) -> ListenerToken {
        requiredDefaultCollection.addDocumentChangeListener(id: id, listener: listener)
    }

    /// Adds a listener for one document; it runs on `queue`.
    @available(*, deprecated, message: "Use addDocumentChangeListener(id:queue:listener:).")
    @preconcurrency
    @discardableResult
    public func addDocumentChangeListener(
        withID id: String,
        queue: DispatchQueue?,
        listener: @escaping @Sendable (DocumentChange) -> Void
    ) -> ListenerToken {
        requiredDefaultCollection.addDocumentChangeListener(
            id: id,
            queue: queue,
            listener: listener
        )
    }

    /// Removes a listener of any kind.
    @available(*, deprecated, message: "Use ListenerToken.remove().")
    public func removeChangeListener(withToken token: ListenerToken) {
        token.remove()
    }

    private var requiredDefaultCollection: Collection {
        guard let collection = try? defaultCollection() else {
            stopForMisuse("Database \(name) is closed; open it again")
        }
        return collection
    }
}
