public import DivanRevisions

/// What a filter is asked about: one revision of a document.
public struct FilteredRevision: Sendable {
    /// The document.
    public let documentID: DocumentID
    /// The revision; `nil` when the peer withdraws access to the document and names none.
    public let revisionID: RevisionID?
    /// The body as canonical JSON; empty when access to the document is withdrawn.
    public let body: [UInt8]
    /// What is particular about it.
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
    /// Describes a revision as a peer may know it: of a tombstone no body is shown.
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

/// Decides about one revision of a document.
///
/// Called on the thread that runs the peer, so it must be quick.
public typealias DocumentFilter = @Sendable (FilteredRevision) -> Bool
