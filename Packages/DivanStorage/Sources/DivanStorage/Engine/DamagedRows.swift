public import DivanRevisions

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
    public func second(in path: CollectionPath) -> String {
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
