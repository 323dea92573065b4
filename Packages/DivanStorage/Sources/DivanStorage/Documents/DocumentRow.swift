public import DivanRevisions

/// A document as an engine stores it: the current revision in columns, the others in the tree.
public struct DocumentRow: Equatable, Sendable {
    /// 1 to 240 bytes of UTF-8.
    public var documentID: DocumentID
    /// The sequence in the collection; 1 or more.
    public var sequence: UInt64
    /// The current revision.
    public var revisionID: RevisionID
    /// The properties of the document.
    public var flags: DocumentFlags
    /// The revisions other than the current one.
    public var tree: RowTree
    /// The size of the body, even if the body was not requested.
    public var bodyByteCount: Int
    /// The current revision's JSON; empty if it was not requested.
    public var body: [UInt8]
    /// Milliseconds since 1970; `nil` means never.
    public var expiration: Int64?

    /// Creates a row to be stored.
    @inlinable
    public init(
        documentID: DocumentID,
        sequence: UInt64,
        revisionID: RevisionID,
        flags: DocumentFlags,
        tree: RowTree,
        body: [UInt8],
        bodyByteCount: Int? = nil,
        expiration: Int64? = nil
    ) {
        self.documentID = documentID
        self.sequence = sequence
        self.revisionID = revisionID
        self.flags = flags
        self.tree = tree
        self.body = body
        self.bodyByteCount = bodyByteCount ?? body.count
        self.expiration = expiration
    }
}

/// The revision tree of a row; the most common case takes no bytes.
public enum RowTree: Equatable, Sendable {
    /// One revision, the current one; the remote that is known to have it, if any.
    case single(knownAt: RemoteID?)
    /// `RevisionTree.encoded()`, without the body of the current revision.
    case encoded([UInt8])

    /// Whether the current revision is the only one.
    @inlinable public var isSingle: Bool {
        if case .single = self { true } else { false }
    }
}

/// Properties of a document; the raw values are stored.
public struct DocumentFlags: OptionSet, Hashable, Sendable {
    /// The stored bits.
    public let rawValue: UInt8

    /// Creates flags from stored bits; unknown bits are kept.
    @inlinable
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The current revision is a tombstone.
    @inlinable public static var tombstone: DocumentFlags { DocumentFlags(rawValue: 1) }
    /// A conflict with a branch from a remote is unresolved (`revisions.md` §4).
    @inlinable public static var conflicted: DocumentFlags { DocumentFlags(rawValue: 2) }
    /// A revision whose body is kept references blobs.
    @inlinable public static var hasBlobs: DocumentFlags { DocumentFlags(rawValue: 4) }
}
