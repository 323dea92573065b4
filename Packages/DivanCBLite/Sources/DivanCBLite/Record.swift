public import DivanRevisions

/// A row of a document table, as it stands in the file.
public struct Record: Sendable {
    /// The document's name; whatever bytes stand there.
    public var key: [UInt8]
    /// The change number.
    public var sequence: Int64
    /// Bits of `Flag`, and above the lowest 16 a count that means nothing here.
    public var flags: Int64
    /// The ID or vector of the current revision.
    public var version: [UInt8]
    /// The current body; in 2.x the tree.
    public var body: [UInt8]?
    /// The other revisions.
    public var extra: [UInt8]?
    /// Milliseconds since 1970; `nil` = never.
    public var expiration: Int64?
    /// The change number of a later row of this document, in the collection's other table.
    ///
    /// This one does not count then. `nil` where there is none, as there should not be.
    public var laterSequence: Int64?

    /// Creates a row from its columns.
    public init(
        key: [UInt8],
        sequence: Int64,
        flags: Int64,
        version: [UInt8],
        body: [UInt8]?,
        extra: [UInt8]? = nil,
        expiration: Int64? = nil,
        laterSequence: Int64? = nil
    ) {
        self.key = key
        self.sequence = sequence
        self.flags = flags
        self.version = version
        self.body = body
        self.extra = extra
        self.expiration = expiration
        self.laterSequence = laterSequence
    }

    enum Flag {
        static let tombstone: Int64 = 0x01
        static let conflict: Int64 = 0x02
        static let hasBlobs: Int64 = 0x04
        /// Remote 1 has the current revision, whatever the other columns say.
        static let synced: Int64 = 0x08
    }
}

/// A document of Couchbase Lite, with everything that is known of its revisions.
public struct ForeignDocument: Sendable {
    /// Its name.
    public var documentID: DocumentID
    /// The change number; 1 or more.
    public var sequence: UInt64
    /// Its revisions: a tree, or vectors.
    public var history: any RevisionHistory
    /// Milliseconds since 1970; `nil` = never.
    public var expiration: Int64?
    /// Whether a body that is kept names blobs.
    public var namesBlobs: Bool
    /// What is damaged besides, where the current revision is whole: its past is lost.
    public var damage: RecordDamage?

    /// The current revision.
    public var current: HistoryRevision? { history.current }
}
