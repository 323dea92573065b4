public import DivanRevisions

/// A row of a document table, as stored in the file.
public struct Record: Sendable {
    /// The document ID; can be any bytes.
    public var key: [UInt8]
    /// The sequence.
    public var sequence: Int64
    /// Bits of `Flag`, and above the lowest 16 bits a count that is not used.
    public var flags: Int64
    /// The ID or vector of the current revision.
    public var version: [UInt8]
    /// The current body; in version 2 the tree.
    public var body: [UInt8]?
    /// The other revisions.
    public var extra: [UInt8]?
    /// The expiration in milliseconds since 1970; `nil` means never.
    public var expiration: Int64?
    /// The sequence of a later row of this document, in the collection's other table.
    ///
    /// If it is set, this row is ignored. `nil` in the normal case.
    public var laterSequence: Int64?
    /// The reason why the row could not be read; the other columns are then empty, or read from an index.
    public internal(set) var damage: RecordDamage?

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

/// A Couchbase Lite document with its revisions.
public struct ForeignDocument: Sendable {
    /// The document ID.
    public var documentID: DocumentID
    /// The sequence; 1 or more.
    public var sequence: UInt64
    /// Its revisions: a tree, or vectors.
    public var history: any RevisionHistory
    /// The expiration in milliseconds since 1970; `nil` means never.
    public var expiration: Int64?
    /// Whether a stored body refers to blobs.
    public var namesBlobs: Bool
    /// The damage, if only the current revision is intact and its history is lost.
    public var damage: RecordDamage?

    /// The current revision.
    public var current: HistoryRevision? { history.current }
}
