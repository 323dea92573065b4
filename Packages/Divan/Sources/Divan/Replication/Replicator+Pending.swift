import DivanReplicator
import DivanSession
import Foundation

extension Replicator {
    /// The documents of a collection with changes that the peer has not acknowledged.
    ///
    /// Works before, during and after a run. A snapshot: it may be out of date when you read it.
    /// Tombstones count, purged documents do not; `documentIDs`, or else the push filter, apply.
    ///
    /// - Throws: `unsupported` (19) when the replicator does not push, `invalidParameter` (9) for a
    ///   collection that is not in the configuration, `notOpen` (6) when one of the configuration
    ///   was deleted or the database is closed.
    public func pendingDocumentIds(collection: Collection) throws -> Set<String> {
        try translatingErrors {
            guard config.replicatorType != .pull else { throw ReplicationFailure.pullOnly }
            let store = try config.requiredDatabase.openStore()
            guard config.collectionConfig(collection) != nil else {
                throw ReplicationFailure.collectionNotReplicated(collection.fullName)
            }
            try config.collections.requireOpen()
            let options = engineOptions(remoteIdentity: try remoteIdentity(), reset: false)
            let pending = PendingDocuments(store: store, options: options)
            return try pending.documentIDs(in: collection.path) ?? []
        }
    }

    /// Whether one document has a change that the peer has not acknowledged.
    ///
    /// - Throws: As ``pendingDocumentIds(collection:)``.
    public func isDocumentPending(_ documentID: String, collection: Collection) throws -> Bool {
        try pendingDocumentIds(collection: collection).contains(documentID)
    }

    /// The pending documents of the default collection.
    ///
    /// - Throws: As ``pendingDocumentIds(collection:)``.
    @available(*, deprecated, message: "Use pendingDocumentIds(collection:)")
    public func pendingDocumentIds() throws -> Set<String> {
        try pendingDocumentIds(collection: config.requiredDatabase.defaultCollection())
    }

    /// Whether one document of the default collection is pending.
    ///
    /// - Throws: As ``pendingDocumentIds(collection:)``.
    @available(*, deprecated, message: "Use isDocumentPending(_:collection:)")
    public func isDocumentPending(_ documentID: String) throws -> Bool {
        try isDocumentPending(
            documentID,
            collection: config.requiredDatabase.defaultCollection()
        )
    }
}
