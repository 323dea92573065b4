public import DivanRevisions

/// The subject of a filter: one revision of a document.
public struct FilteredRevision: Sendable {
    /// The document.
    public let documentID: DocumentID
    /// The revision; `nil` if the peer withdraws access to the document without a revision.
    public let revisionID: RevisionID?
    /// The body as canonical JSON; empty if access to the document is withdrawn.
    public let body: [UInt8]
    /// Special properties of the revision.
    public let flags: SyncFlags

    /// Describes a revision.
    public init(
        _ documentID: DocumentID,
        _ revisionID: RevisionID?,
        body: [UInt8],
        flags: SyncFlags = []
    ) {
        self.documentID = documentID
        self.revisionID = revisionID
        self.body = body
        self.flags = flags
    }
}

extension FilteredRevision {
    /// Describes a revision as a peer may know it: for a tombstone no body is shown.
    init(
        _ documentID: DocumentID,
        _ revisionID: RevisionID,
        body: @autoclosure () -> [UInt8],
        isTombstone: Bool
    ) {
        self.init(
            documentID,
            revisionID,
            body: isTombstone ? [] : body(),
            flags: isTombstone ? .deleted : []
        )
    }
}

/// Decides whether a revision of a document passes.
///
/// Called on the peer's thread, so it must return quickly.
public typealias DocumentFilter = @Sendable (FilteredRevision) -> Bool
