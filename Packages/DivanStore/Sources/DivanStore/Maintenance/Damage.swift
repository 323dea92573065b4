public import DivanRevisions

/// Stored data that differ from what was written.
public struct Damage: Equatable, Sendable {
    /// What is damaged.
    public enum Part: Equatable, Sendable {
        /// The pages of the file; documents may be unreachable.
        case structure
        /// Data other than documents: a collection's name or counters, a checkpoint.
        case values
        /// A document; it is neither read nor sent to peers.
        case document(CollectionPath, documentID: DocumentID)
        /// The content of a blob, and a document that references it, if any.
        case blob(BlobDigest, namedBy: DocumentName?)
    }

    /// A document and its collection.
    public struct DocumentName: Hashable, Sendable {
        /// The collection.
        public var collection: CollectionPath
        /// The document ID.
        public var documentID: DocumentID

        /// Creates a name.
        public init(_ documentID: DocumentID, in collection: CollectionPath) {
            self.documentID = documentID
            self.collection = collection
        }
    }

    /// What is damaged.
    public let part: Part
    /// A short description of what was found.
    public let detail: String

    init(_ part: Part, _ detail: String) {
        self.part = part
        self.detail = detail
    }

    /// The error for a caller that does not request a list.
    func error(at path: String) -> StoreError {
        switch part {
        case .document(_, let documentID):
            StoreError(.damagedDocument(documentID: documentID, detail), at: path)
        case .structure, .values, .blob: StoreError(.corrupt(description), at: path)
        }
    }
}

extension Damage: CustomStringConvertible {
    /// The damaged part and the problem, in one line.
    public var description: String {
        switch part {
        case .structure, .values: detail
        case .document(let collection, let documentID):
            "document \"\(documentID)\" of \(collection): \(detail)"
        case .blob(let digest, let name):
            "blob \(digest)"
                + (name.map { " of document \"\($0.documentID)\" of \($0.collection)" } ?? "")
                + ": \(detail)"
        }
    }
}

/// The result of checking all stored data.
public struct Inspection: Equatable, Sendable {
    /// Documents that are intact, not counting tombstones.
    public internal(set) var documentCount = 0
    /// Intact blobs that a document references.
    public internal(set) var blobCount = 0
    /// Everything that is damaged.
    public internal(set) var damages: [Damage] = []
}
