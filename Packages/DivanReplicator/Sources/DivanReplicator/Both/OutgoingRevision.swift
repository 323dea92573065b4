import DivanRevisions
import DivanStore

/// A revision that the peer requested; a class, because it is passed on many times.
final class OutgoingRevision {
    let change: FeedChange
    /// Revisions of the document that the peer has.
    let known: [RevisionID]
    let terms: PeerTerms
    /// The number of the pushed change, as in `Proposal.number`; 0 if it is pulled.
    let number: UInt64
    /// Whether the peer has already refused a delta for it.
    var needsFullBody = false
    /// When it was passed to the message layer.
    var sentTime: Duration = .zero
    /// Bytes of its body that were sent: in full, or as a delta.
    var sentByteCount = 0
    /// Whether a delta was sent.
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

    /// The delta as which it was sent; `nil` if the full body was sent.
    var delta: DeltaUse? {
        guard wasDelta else { return nil }
        return DeltaUse(byteCount: sentByteCount, bodyByteCount: change.bodyByteCount)
    }

    /// The key under which its message is shared; `nil` if the peer's history makes it unique.
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
