import DivanRevisions
import DivanStore

/// One row of the local changes feed, as needed by a peer.
///
/// A class, because it is passed on many times: as a value it is 170 bytes.
final class FeedChange: Sendable {
    let sequence: UInt64
    let documentID: DocumentID
    let revisionID: RevisionID
    let isTombstone: Bool
    let bodyByteCount: Int
    /// The revision that the remote is known to have, if that is reliable; `nil` on the passive side.
    let remoteAncestor: RevisionID?
    /// Whether the document has no other revision.
    let isFirst: Bool
    let feedEnd: UInt64

    /// Whether its body should be read with as little memory as possible.
    var isLong: Bool { bodyByteCount >= StorageLimits.longBodyByteCount }

    var flags: SyncFlags { isTombstone ? .deleted : [] }

    init(
        sequence: UInt64,
        documentID: DocumentID,
        revisionID: RevisionID,
        isTombstone: Bool,
        bodyByteCount: Int,
        remoteAncestor: RevisionID? = nil,
        isFirst: Bool,
        feedEnd: UInt64
    ) {
        self.sequence = sequence
        self.documentID = documentID
        self.revisionID = revisionID
        self.isTombstone = isTombstone
        self.bodyByteCount = bodyByteCount
        self.remoteAncestor = remoteAncestor
        self.isFirst = isFirst
        self.feedEnd = feedEnd
    }

    /// Takes over a row of the feed; the caller says whether its remote ancestor is reliable.
    convenience init(_ row: ChangeRow, trustsAncestor: Bool = true) {
        self.init(
            sequence: row.sequence,
            documentID: row.documentID,
            revisionID: row.revisionID,
            isTombstone: row.flags.contains(.tombstone),
            bodyByteCount: row.bodyByteCount,
            remoteAncestor: trustsAncestor ? row.remoteAncestor : nil,
            isFirst: row.isFirst,
            feedEnd: row.feedEnd
        )
    }
}

/// A proposed change, with the ancestor named in the proposal.
struct Proposal {
    let change: FeedChange
    private(set) var ancestor: RevisionID?
    private(set) var attemptCount = 1
    /// The number of its document's change in progress, which `PushedChanges` assigns; 0 before.
    var number: UInt64 = 0

    /// Proposes a change for the first time, from the revision that the peer is known to have.
    init(_ change: FeedChange) {
        self.init(change, from: change.remoteAncestor)
    }

    init(_ change: FeedChange, from ancestor: RevisionID?) {
        self.change = change
        self.ancestor = ancestor
    }

    /// Proposes it again from another ancestor.
    func again(from ancestor: RevisionID) -> Proposal {
        var next = self
        next.ancestor = ancestor
        next.attemptCount += 1
        return next
    }
}
