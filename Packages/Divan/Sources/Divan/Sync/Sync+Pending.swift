@_spi(Modern) @_spi(Stores) internal import CouchbaseLiteSwift
internal import DivanDatabase
public import Foundation

extension Sync {
    /// A document that the peer refused, or that could not be pulled.
    public struct RefusedDocument: Equatable, Sendable {
        /// The document's ID.
        public let id: String
        /// The name of its collection.
        public let collection: String
        /// The revision: the current one, or the one of the peer.
        public let revision: String
        /// Whether this side tried to send it; otherwise it could not be received.
        public let isPush: Bool
        /// The reason.
        public let error: DivanError
        /// When it was refused, by this machine's clock.
        public let date: Date
    }

    /// Returns the IDs of the documents with changes that have not been sent yet.
    ///
    /// Works before, during and after a run. Deleted documents are included, and documents that the push filter or the
    /// selection excludes are not.
    ///
    /// - Parameter collection: The collection; `nil` means all collections of the sync, one after another.
    /// - Returns: The IDs, in the order of their bytes for each collection.
    /// - Throws: ``DivanError/Code/unsupported`` if the sync only pulls, ``DivanError/Code/notOpen`` if the collection is
    ///   not part of the sync or was deleted, or the database is closed.
    public func pending(in collection: DocumentCollection? = nil) throws -> [String] {
        try ask(collection) { try $0.pendingDocuments(collection: $1) }.flatMap(\.self)
    }

    /// Returns the IDs of the documents with changes that have not been sent yet; see ``pending(in:)``.
    public func pending(
        in collection: DocumentCollection? = nil
    ) async throws -> [String] {
        try await inBackground { try self.pending(in: collection) }
    }

    /// Counts the documents with changes that have not been sent yet, without a list in memory; see `pending(in:)`.
    public func pendingCount(in collection: DocumentCollection? = nil) throws -> Int {
        try ask(collection) { try $0.pendingDocumentCount(collection: $1) }.reduce(0, +)
    }

    /// Counts the documents with changes that have not been sent yet; see `pending(in:)`.
    public func pendingCount(
        in collection: DocumentCollection? = nil
    ) async throws -> Int {
        try await inBackground { try self.pendingCount(in: collection) }
    }

    /// Returns whether a document has a change that has not been sent yet.
    ///
    /// - Throws: The same errors as `pending(in:)`.
    public func isPending(
        _ id: String,
        in collection: DocumentCollection
    ) throws -> Bool {
        try ask(collection) { try $0.isDocumentPending(id, collection: $1) }.contains(true)
    }

    /// Returns whether a document has a change that has not been sent yet.
    public func isPending(
        _ id: String,
        in collection: DocumentCollection
    ) async throws -> Bool {
        try await inBackground { try self.isPending(id, in: collection) }
    }

    /// Returns the documents that the peer refused and those that could not be pulled, with the reasons.
    ///
    /// Later runs do not send a refused document again until it changes; pass `retryingRefused` to
    /// `run(retryingRefused:reset:)` if the peer's rules have changed. The list is stored in the database, at most
    /// 10,000 documents for each collection and peer.
    ///
    /// - Parameter collection: The collection; `nil` means all collections of the sync, one after another.
    /// - Returns: The documents, those that this side sent first.
    /// - Throws: ``DivanError/Code/notOpen`` as `pending(in:)`.
    public func refused(
        in collection: DocumentCollection? = nil
    ) throws -> [RefusedDocument] {
        let direction = engine.settings.direction
        return try ask(collection) { replicator, collection in
            let name = collection.storePath.wireName
            let pushed =
                direction == .pull ? [] : try replicator.refusedDocuments(collection: collection)
            let pulled =
                direction == .push ? [] : try replicator.failedPulls(collection: collection)
            return pushed.map { RefusedDocument($0, in: name, isPush: true) }
                + pulled.map { RefusedDocument($0, in: name, isPush: false) }
        }.flatMap(\.self)
    }

    /// Returns the documents that the peer refused and those that could not be pulled; see ``refused(in:)``.
    public func refused(
        in collection: DocumentCollection? = nil
    ) async throws -> [RefusedDocument] {
        try await inBackground { try self.refused(in: collection) }
    }

    private func ask<Answer>(
        _ collection: DocumentCollection?,
        _ question: (Replicator, OfficialCollection) throws -> Answer
    ) throws -> [Answer] {
        let replicator = try engine.replicator()
        return try DivanError.converting(place: engine.settings.place) {
            let collections = collection.map { [$0.official] } ?? replicator.config.collections
            return try collections.map { try question(replicator, $0) }
        }
    }

    private func inBackground<Answer: Sendable>(
        _ body: @escaping @Sendable () throws -> Answer
    ) async throws -> Answer {
        let settings = engine.settings
        return try await Background.placing(settings.place, body)
    }
}

extension Sync.RefusedDocument {
    fileprivate init(
        _ document: CouchbaseLiteSwift.RefusedDocument,
        in collection: String,
        isPush: Bool
    ) {
        id = document.id
        self.collection = collection
        revision = document.revisionID
        self.isPush = isPush
        error = DivanError(document.error, of: document.id, in: collection, isPush: isPush)
        date = document.date
    }
}
