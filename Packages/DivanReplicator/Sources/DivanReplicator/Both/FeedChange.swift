import DivanRevisions
import DivanStore

/// One line of the local changes feed, as far as a peer is concerned.
struct FeedChange {
    var sequence: UInt64
    var documentID: DocumentID
    var revisionID: RevisionID
    var isTombstone: Bool
    var bodyByteCount: Int
    /// The revision that the remote is known to have, where that may be relied on; `nil` on the
    /// passive side.
    var remoteAncestor: RevisionID?
    /// Whether the document has no other revision.
    var isFirst: Bool
    var feedEnd: UInt64

    var flags: SyncFlags { isTombstone ? .deleted : [] }
}

extension FeedChange {
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
}

/// A change as it is proposed, with the ancestor that is named.
struct Proposal {
    let change: FeedChange
    private(set) var ancestor: RevisionID?
    private(set) var attemptCount = 1

    /// Proposes a change for the first time, from the revision that the peer is known to have.
    init(_ change: FeedChange) {
        self.init(change, from: change.remoteAncestor)
    }

    init(_ change: FeedChange, from ancestor: RevisionID?) {
        self.change = change
        self.ancestor = ancestor
    }

    /// Proposes it anew from another ancestor.
    func again(from ancestor: RevisionID) -> Proposal {
        var next = self
        next.ancestor = ancestor
        next.attemptCount += 1
        return next
    }
}
