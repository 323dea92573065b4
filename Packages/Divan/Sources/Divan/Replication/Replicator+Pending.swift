import DivanReplicator
import DivanRevisions
import DivanSession
import DivanStore
import Foundation

extension Replicator {
    /// The documents of a collection with changes that the peer has not acknowledged.
    ///
    /// Works before, during and after a run. A snapshot: it may be out of date when you read it. Tombstones count,
    /// purged documents do not. Only documents in `documentIDs` count, or, without it, those that pass the push filter.
    ///
    /// A `Set<String>` holds one of several IDs that Unicode calls equivalent, such as composed and
    /// decomposed `é`; ``pendingDocuments(collection:)`` lists them all.
    ///
    /// - Throws: `unsupported` (19) when the replicator does not push, `notOpen` (6) for a collection that is not in
    ///   the configuration, or if one in the configuration was deleted or the database is closed.
    public func pendingDocumentIds(collection: Collection) throws -> Set<String> {
        Set(try pendingNames(in: collection).map(\.text))
    }

    /// The IDs of the documents with changes that the peer has not acknowledged, each once, in the
    /// order of their UTF-8 bytes.
    ///
    /// Like ``pendingDocumentIds(collection:)``, but exact: IDs are compared by their bytes, as in the database. An
    /// addition to the official API.
    ///
    /// - Throws: The same errors as ``pendingDocumentIds(collection:)``.
    public func pendingDocuments(collection: Collection) throws -> [String] {
        try pendingNames(in: collection).sorted().map(\.text)
    }

    /// How many documents have changes that the peer has not acknowledged.
    ///
    /// Counts like ``pendingDocuments(collection:)``, without a list in memory; a document saved meanwhile may count
    /// twice. An addition to the official API.
    ///
    /// - Throws: The same errors as ``pendingDocumentIds(collection:)``.
    public func pendingDocumentCount(collection: Collection) throws -> Int {
        try translatingErrors {
            try questions(about: collection).count(in: collection.path) ?? 0
        }
    }

    private func pendingNames(in collection: Collection) throws -> Set<StoredID> {
        try translatingErrors {
            try questions(about: collection).documentIDs(in: collection.path) ?? []
        }
    }

    /// Whether one document has a change that the peer has not acknowledged; reads only that document, and calls the
    /// push filter for no other.
    ///
    /// - Throws: The same errors as ``pendingDocumentIds(collection:)``.
    public func isDocumentPending(_ documentID: String, collection: Collection) throws -> Bool {
        try translatingErrors {
            try questions(about: collection)
                .isPending(StoredID(unchecked: documentID), in: collection.path) ?? false
        }
    }

    private func questions(about collection: Collection) throws -> PendingDocuments {
        let store = try storeToPush(collection)
        let options = engineOptions(remoteIdentity: try config.remoteIdentity(), reset: false)
        return PendingDocuments(store: store, options: options)
    }

    /// The open store of a collection that this replicator pushes.
    func storeToPush(_ collection: Collection) throws -> Store {
        guard config.replicatorType != .pull else { throw ReplicationFailure.pullOnly }
        let store = try config.requiredDatabase.openStore()
        guard config.collectionConfig(collection) != nil else {
            throw ReplicationFailure.collectionNotReplicated(collection.fullName)
        }
        try config.collections.requireOpen()
        return store
    }

    /// The pending documents of the default collection.
    ///
    /// - Throws: The same errors as ``pendingDocumentIds(collection:)``.
    @available(*, deprecated, message: "Use pendingDocumentIds(collection:)")
    public func pendingDocumentIds() throws -> Set<String> {
        try pendingDocumentIds(collection: config.requiredDatabase.defaultCollection())
    }

    /// Whether one document of the default collection is pending.
    ///
    /// - Throws: The same errors as ``pendingDocumentIds(collection:)``.
    @available(*, deprecated, message: "Use isDocumentPending(_:collection:)")
    public func isDocumentPending(_ documentID: String) throws -> Bool {
        try isDocumentPending(
            documentID,
            collection: config.requiredDatabase.defaultCollection()
        )
    }
}
