import DivanRevisions
import DivanStore

/// A revision that the peer asked for; handed on by reference, for it passes through many hands.
final class OutgoingRevision {
    let change: FeedChange
    /// Revisions of the document that the peer has.
    let known: [RevisionID]
    let terms: PeerTerms
    /// The number of the change that is pushed with it, as `Proposal.number`; 0 where it is pulled.
    let number: UInt64
    /// Whether the peer refused a delta for it already.
    var needsFullBody = false
    /// When it was handed to the message layer.
    var sentTime: Duration = .zero
    /// Bytes of its body that were sent: all of it, or of a difference.
    var sentByteCount = 0
    /// Whether a difference was sent.
    var wasDelta = false
    /// Blobs that the peer may ask for until it has answered.
    var lentBlobs: [BlobDigest] = []

    init(change: FeedChange, known: [RevisionID], terms: PeerTerms, number: UInt64 = 0) {
        self.change = change
        self.known = known
        self.terms = terms
        self.number = number
    }

    /// Bytes of the names in `known`.
    var knownByteCount: Int { known.count * MemoryLayout<RevisionID>.stride }

    /// The difference as which it went out; `nil` when its body went whole.
    var delta: DeltaUse? {
        guard wasDelta else { return nil }
        return DeltaUse(byteCount: sentByteCount, bodyByteCount: change.bodyByteCount)
    }

    /// What its message is shared under; `nil` when the peer's history makes it one of its own.
    func sharedKey(in path: CollectionPath, _ wireIndex: Int?) -> SharedRevisions.Key? {
        guard known.isEmpty, !needsFullBody else { return nil }
        return SharedRevisions.Key(
            path: path,
            documentID: change.documentID,
            revisionID: change.revisionID,
            sequence: change.sequence,
            wireIndex: wireIndex,
            historyCount: terms.historyCount,
            takesTreeIDs: terms.takesTreeIDs,
            understandsBlobs: terms.understandsBlobs
        )
    }
}
