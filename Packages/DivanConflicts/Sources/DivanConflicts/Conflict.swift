public import DivanRevisions

/// Two leaves of one document, neither an ancestor of the other; at most one is a tombstone.
public struct Conflict: Equatable, Sendable {
    /// The document ID.
    public let documentID: DocumentID
    /// The current local revision.
    public let local: Leaf
    /// The pulled revision.
    public let remote: Leaf
    /// The body of their common ancestor, as JSON; `nil` if it is not stored.
    public let base: [UInt8]?

    /// Creates a conflict.
    public init(documentID: DocumentID, local: Leaf, remote: Leaf, base: [UInt8]? = nil) {
        self.documentID = documentID
        self.local = local
        self.remote = remote
        self.base = base
    }
}

/// The newest revision of one branch.
public struct Leaf: Equatable, Sendable {
    /// The revision ID.
    public let revisionID: RevisionID
    /// Whether it deletes the document.
    public let isTombstone: Bool
    /// The local sequence; 0 if it is not stored.
    public let sequence: UInt64
    /// A JSON object; `{}` for most tombstones.
    public let body: [UInt8]
    /// Its place in the order of the default rule.
    public let precedence: Precedence

    /// Creates a leaf; without a `precedence`, nothing is known of what it follows.
    public init(
        revisionID: RevisionID,
        isTombstone: Bool = false,
        sequence: UInt64 = 0,
        body: [UInt8],
        precedence: Precedence? = nil
    ) {
        self.precedence = precedence ?? Precedence(revisionID, isTombstone: isTombstone)
        self.revisionID = revisionID
        self.isTombstone = isTombstone
        self.sequence = sequence
        self.body = body
    }
}
