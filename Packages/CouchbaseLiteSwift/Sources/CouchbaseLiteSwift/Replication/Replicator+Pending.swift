import DivanDatabase
import DivanReplicator
import DivanRevisions
import DivanSession
import Foundation

extension Replicator {
    /// Returns the documents of a collection with changes that are not pushed yet.
    ///
    /// Works before, during and after a run. The result is a snapshot and may already be out of date. It includes
    /// deleted, but not purged documents, and only documents in `documentIDs` or, without `documentIDs`, documents that
    /// pass the push filter.
    ///
    /// A `Set<String>` contains only one of several Unicode-equivalent IDs, such as composed and decomposed `é`;
    /// ``pendingDocuments(collection:)`` returns all of them.
    ///
    /// - Throws: `unsupported` (19) if the replicator does not push; `notOpen` (6) if the collection is not in the
    ///   configuration, a configured collection was deleted, or the database is closed.
    public func pendingDocumentIds(collection: Collection) throws -> Set<String> {
        Set(try pendingNames(in: collection).map(\.text))
    }

    /// Returns the IDs of the documents with changes that are not pushed yet, in the order of their UTF-8 bytes.
    ///
    /// Like ``pendingDocumentIds(collection:)``, but exact: IDs are compared by their bytes, as in the database. An
    /// addition to the official API.
    ///
    /// - Throws: The same errors as ``pendingDocumentIds(collection:)``.
    public func pendingDocuments(collection: Collection) throws -> [String] {
        try pendingNames(in: collection).sorted().map(\.text)
    }

    /// Returns the number of documents with changes that are not pushed yet.
    ///
    /// Counts like ``pendingDocuments(collection:)``, without a list in memory; a document that is saved during the
    /// call may count twice. An addition to the official API.
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

    /// Returns whether a document has a change that is not pushed yet.
    ///
    /// Reads only that document.
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
        return try openStore(of: collection)
    }

    /// The open store of a collection that this replicator replicates.
    func openStore(of collection: Collection) throws -> Store {
        let store = try config.requiredDatabase.openStore()
        guard config.collectionConfig(collection) != nil else {
            throw ReplicationFailure.collectionNotReplicated(collection.fullName)
        }
        try config.collections.requireOpen()
        return store
    }

    /// Returns the pending documents of the default collection.
    ///
    /// - Throws: The same errors as ``pendingDocumentIds(collection:)``.
    @available(*, deprecated, message: "Use pendingDocumentIds(collection:)")
    public func pendingDocumentIds() throws -> Set<String> {
        try pendingDocumentIds(collection: config.requiredDatabase.defaultCollection())
    }

    /// Returns whether a document of the default collection is pending.
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
