import DivanRevisions
import DivanStore

/// One line of the local changes feed, as far as a peer is concerned.
struct FeedChange {
    var sequence: UInt64
    var documentID: DocumentID
    var revisionID: RevisionID
    var isTombstone: Bool
    var bodyByteCount: Int
    /// The revision that the remote is known to have; `nil` on the passive side.
    var remoteAncestor: RevisionID?
    /// Whether the document has no other revision.
    var isFirst: Bool
    var feedEnd: UInt64

    init(_ row: ChangeRow) {
        sequence = row.sequence
        documentID = row.documentID
        revisionID = row.revisionID
        isTombstone = row.flags.contains(.tombstone)
        bodyByteCount = row.bodyByteCount
        remoteAncestor = row.remoteAncestor
        isFirst = row.isFirst
        feedEnd = row.feedEnd
    }

    var flags: SyncFlags { isTombstone ? .deleted : [] }
}

/// A change that was proposed, with the ancestor that was named.
struct Proposal {
    var change: FeedChange
    var ancestor: RevisionID?
    var attemptCount = 1
}
