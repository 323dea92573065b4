import DivanDatabase
import DivanRevisions

/// A document after its latest change.
public struct ChangedDocument: Sendable {
    /// The document's ID.
    public let id: String
    /// The number of its latest change.
    public let sequence: UInt64
    /// The revision that this change made current.
    public let revisionID: String
    /// The document; `nil` when the change deleted it.
    public let document: Document?

    /// Whether the change deleted the document.
    public var isDeleted: Bool { document == nil }

    init(_ stored: StoredDocument, in collection: Collection) {
        id = stored.documentID.text
        sequence = stored.sequence
        revisionID = stored.revisionID.description
        document = stored.isTombstone ? nil : Document(stored: stored, collection: collection)
    }
}

extension Collection {
    /// The number of the latest change, 0 before the first; pass it to ``changes(since:)`` to get later changes.
    ///
    /// An addition to the official API.
    ///
    /// - Throws: `CBLError.notOpen`.
    public var lastSequence: UInt64 {
        get throws {
            let path = path
            return try read { reader in try reader.lastSequence(in: path) }
        }
    }

    /// Returns the documents that changed after a sequence, each once, in the order of their latest changes.
    ///
    /// To continue later, store the sequence of the last one. Purged documents are not included. Changes made while the
    /// loop runs are included; to wait for more, use `changes()`. An addition to the official API.
    ///
    /// ```swift
    /// for try await change in notes.changes(since: last) { last = change.sequence }
    /// ```
    ///
    /// - Parameter sequence: 0 for all documents.
    /// - Returns: The documents, for `for try await`.
    public func changes(since sequence: UInt64) -> CollectionHistory {
        CollectionHistory(collection: self, sequence: sequence)
    }
}

/// The documents that changed, one after another; see `Collection.changes(since:)`.
public struct CollectionHistory: AsyncSequence, Sendable {
    /// A changed document.
    public typealias Element = ChangedDocument

    fileprivate let collection: Collection
    fileprivate let sequence: UInt64

    /// Returns an iterator that begins with the oldest change.
    public func makeAsyncIterator() -> Iterator {
        Iterator(collection: collection, sequence: sequence)
    }

    /// Iterates over the changes.
    public struct Iterator: AsyncIteratorProtocol {
        private let collection: Collection
        private var sequence: UInt64
        private var page: ArraySlice<ChangedDocument> = []

        fileprivate init(collection: Collection, sequence: UInt64) {
            self.collection = collection
            self.sequence = sequence
        }

        /// Returns the next changed document, or `nil` after the latest one.
        ///
        /// - Throws: `CBLError.notOpen`; `CancellationError` when the task is cancelled.
        public mutating func next() async throws -> ChangedDocument? {
            try Task.checkCancellation()
            if page.isEmpty {
                let (collection, path, sequence) = (collection, collection.path, sequence)
                page = try await collection.database.inBackground {
                    try collection.read { reader in
                        var pages = reader.changes(in: path, after: sequence)
                        let documents = try pages.next()?.passingOverDamage() ?? []
                        return documents.map { ChangedDocument($0, in: collection) }[...]
                    }
                }
            }
            guard let change = page.popFirst() else { return nil }
            sequence = change.sequence
            return change
        }
    }
}
