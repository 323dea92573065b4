public import DivanRevisions

/// Which revision a local save expects to follow.
public enum ExpectedParent: Equatable, Sendable {
    /// Whatever is current: the last write wins.
    case current
    /// Whatever is current, also a tombstone; a document that is not there is a conflict.
    case existing
    /// This one, or with `nil` none: the document is new, or a tombstone is current.
    case revision(RevisionID?)

    /// Whether the document may be new.
    var maybeNone: Bool { self == .current || self == .revision(nil) }
}

/// What became of a local save.
public enum SaveOutcome: Equatable, Sendable {
    /// Stored; this is the document now.
    case saved(StoredDocument)
    /// Another revision is current, or with `nil` the document is gone; nothing was stored.
    case conflict(StoredDocument?)
}
