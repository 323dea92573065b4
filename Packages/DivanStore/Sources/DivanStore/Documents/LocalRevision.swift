public import DivanRevisions

/// A revision made on this peer, before it has an ID; for a received one see `RemoteRevision`.
public struct LocalRevision: Sendable {
    /// The document, already validated.
    public var documentID: DocumentID
    /// Canonical JSON, an object; `{}` for a tombstone.
    ///
    /// In a database with trees its digest is the revision's. Its top level has none of
    /// `BodyRules.reservedKeys` and no empty key.
    public var body: [UInt8]
    /// Whether it deletes the document.
    public var isTombstone: Bool
    /// Whether the body refers to blobs, which must already be stored.
    public var hasBlobs: Bool
    /// The revision to follow.
    public var parent: ExpectedParent

    /// Creates a revision with a body.
    public init(
        _ documentID: DocumentID,
        body: [UInt8],
        hasBlobs: Bool = false,
        over parent: ExpectedParent = .current
    ) {
        self.documentID = documentID
        self.body = body
        self.hasBlobs = hasBlobs
        self.parent = parent
        isTombstone = false
    }

    /// Creates the tombstone of a document.
    public init(deleting documentID: DocumentID, over parent: ExpectedParent = .current) {
        self.init(documentID, body: Array("{}".utf8), over: parent)
        isTombstone = true
    }

    /// The edit for a history; `parent` is the current revision.
    func edit(after parent: RevisionID?, retaining retention: BodyRetention) -> LocalEdit {
        LocalEdit(
            parent: parent,
            isTombstone: isTombstone,
            hasBlobs: hasBlobs,
            body: body,
            retention: retention
        )
    }
}

/// Which revision a local save expects to follow.
public enum ExpectedParent: Equatable, Sendable {
    /// Whatever is current: the last write wins.
    case current
    /// Whatever is current, even a tombstone; if there is no such document, it is a conflict.
    case existing
    /// This one, or with `nil` none: the document is new, or its current revision is a tombstone.
    case revision(RevisionID?)

    /// Whether the document may be new.
    var maybeNone: Bool { self == .current || self == .revision(nil) }
}

/// The result of a local save.
public enum SaveOutcome: Equatable, Sendable {
    /// Stored; this is the document now.
    case saved(StoredDocument)
    /// Another revision is current, or with `nil` the document is gone; nothing was stored.
    case conflict(StoredDocument?)
}
