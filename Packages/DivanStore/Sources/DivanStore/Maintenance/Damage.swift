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

/// A damaged row.
public struct DamagedRow: Equatable, Sendable {
    /// Its sequence.
    public let sequence: UInt64
    /// Its document, according to the index if the index still contains it.
    public let documentID: DocumentID
    /// Its revision, if readable.
    public let revisionID: RevisionID?
    /// When it expires, in milliseconds since 1970, if the index says so and the row does not contradict it.
    public let expiration: Int64?

    /// Creates the description of a row.
    public init(
        _ sequence: UInt64,
        _ documentID: DocumentID,
        _ revisionID: RevisionID?,
        expiration: Int64?
    ) {
        self.sequence = sequence
        self.documentID = documentID
        self.revisionID = revisionID
        self.expiration = expiration
    }
}

/// The result of repairing the indexes by which documents are found.
public struct NameRepair: Equatable, Sendable {
    /// Rows that were removed because another row of the same document was stored later.
    public var removed: [DamagedRow] = []
    /// The counters of the collection, if rows were removed.
    public var state: CollectionState?
    /// Whether the file has orphaned pages until it is compacted.
    public var leavesPages = false

    /// Creates the result of an engine that changed nothing.
    public init(leavesPages: Bool = false) {
        self.leavesPages = leavesPages
    }
}

extension DamagedRow {
    /// The message for a row whose document was stored again later.
    func second(in path: CollectionPath) -> String {
        "document \(documentID) of \(path) was stored twice; kept the later one, removed "
            + (revisionID.map { "revision \($0)" } ?? "change \(sequence)")
    }
}

/// The result of reading the rows of a damaged collection.
public struct RowScanResult: Equatable, Sendable {
    /// The number of live documents, according to the collection's counters; `nil` if the counters are damaged.
    public var liveCount: Int?
    /// Whether every unreachable row is listed in a readable index.
    public var namesAll: Bool

    /// Creates the result of an engine.
    public init(liveCount: Int?, namesAll: Bool) {
        self.liveCount = liveCount
        self.namesAll = namesAll
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
