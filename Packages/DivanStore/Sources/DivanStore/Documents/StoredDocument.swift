public import DivanRevisions

/// The current state of a document: its current revision.
public struct StoredDocument: Equatable, Sendable {
    /// 1 to 240 bytes of UTF-8.
    public var documentID: DocumentID
    /// The current revision.
    public var revisionID: RevisionID
    /// The sequence in the collection.
    public var sequence: UInt64
    /// The properties of the document.
    public var flags: DocumentFlags
    /// The current revision's JSON, byte for byte as it was stored.
    public var body: [UInt8]

    /// Creates a document from its parts.
    public init(
        documentID: DocumentID,
        revisionID: RevisionID,
        sequence: UInt64,
        flags: DocumentFlags,
        body: [UInt8]
    ) {
        self.documentID = documentID
        self.revisionID = revisionID
        self.sequence = sequence
        self.flags = flags
        self.body = body
    }

    /// Whether the current revision is a tombstone.
    public var isTombstone: Bool { flags.contains(.tombstone) }

    /// Whether the document may reference blobs; if `false`, its current revision references none.
    ///
    /// Earlier versions stored some documents with attachments without the flag `hasBlobs`.
    public var mayNameBlobs: Bool { flags.contains(.hasBlobs) || BodyRules.mayNameBlobs(body) }

    init(_ row: DocumentRow) {
        self.init(
            documentID: row.documentID,
            revisionID: row.revisionID,
            sequence: row.sequence,
            flags: row.flags,
            body: row.body
        )
    }
}

/// A revision of a document, current or not, whose body is kept.
public struct StoredRevision: Equatable, Sendable {
    /// The revision.
    public var revisionID: RevisionID
    /// Its flags in the tree.
    public var flags: RevisionFlags
    /// The sequence under which it was stored.
    public var sequence: UInt64
    /// Its JSON, byte for byte as it was stored.
    public var body: [UInt8]
    /// Whether this is known to be the only revision of the document.
    public internal(set) var isOnly = false

    /// Whether it is a tombstone.
    public var isTombstone: Bool { flags.contains(.tombstone) }
}

extension DocumentRow {
    /// The revision with this ID, if it is the only one in the row.
    func only(_ revisionID: RevisionID) -> StoredRevision? {
        guard self.revisionID == revisionID, tree.isSingle else { return nil }
        return StoredRevision(
            revisionID: revisionID,
            flags: RevisionFlags(flags),
            sequence: sequence,
            body: body,
            isOnly: true
        )
    }
}

/// One entry of the changes feed.
public struct ChangeRow: Equatable, Sendable {
    /// The sequence in the collection.
    public var sequence: UInt64
    /// The document.
    public var documentID: DocumentID
    /// Its current revision.
    public var revisionID: RevisionID
    /// The properties of the document.
    public var flags: DocumentFlags
    /// The latest revision that the remote is known to have.
    public var remoteAncestor: RevisionID?
    /// The size of the body.
    public var bodyByteCount: Int
    /// Whether it is the only stored revision of the document.
    public var isFirst = false
    /// The greatest sequence of the collection when this entry was read.
    public var feedEnd: UInt64 = 0
}
