public import DivanRevisions

/// A local revision, before it has an ID.
///
/// For received revisions, see `RemoteRevision`.
public struct LocalRevision: Sendable {
    /// The document, already validated.
    public var documentID: DocumentID
    /// Canonical JSON, an object; `{}` for a tombstone.
    ///
    /// In a database with revision trees, its digest is part of the revision ID. Its top level cannot contain
    /// `BodyRules.reservedKeys` or an empty key.
    public var body: [UInt8]
    /// Whether it deletes the document.
    public var isTombstone: Bool
    /// Whether the body references blobs, which must already be stored.
    public var hasBlobs: Bool
    /// The expected parent.
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

/// The parent that a local save expects.
public enum ExpectedParent: Equatable, Sendable {
    /// The current revision, whatever it is: the last write wins.
    case current
    /// The current revision, even a tombstone; a conflict if the document does not exist.
    case existing
    /// This revision; `nil` means none: the document is new, or its current revision is a tombstone.
    case revision(RevisionID?)

    /// Whether the document may be new.
    var maybeNone: Bool { self == .current || self == .revision(nil) }
}

/// The result of a local save.
public enum SaveOutcome: Equatable, Sendable {
    /// Stored; the document after the save.
    case saved(StoredDocument)
    /// Another revision is current, or, with `nil`, the document does not exist; nothing was stored.
    case conflict(StoredDocument?)
}
