import DivanRevisions
import DivanStore

/// The blobs that a peer may fetch, and those that it has proved to have.
///
/// A peer that may read everything may have any blob whose digest it knows. One with limited rights only gets the blobs
/// of revisions in transit to it.
struct BlobRights {
    /// Whether the peer only gets the blobs of revisions in transit to it.
    let areBound: Bool
    /// How many revisions in transit each blob is part of.
    private var lent: [BlobDigest: Int] = [:]
    /// Blobs whose content the peer has sent over this connection.
    private var shown: Set<BlobDigest> = []

    init(areBound: Bool) {
        self.areBound = areBound
    }

    /// Whether the peer may ask for a blob now.
    func mayFetch(_ digest: BlobDigest) -> Bool {
        !areBound || lent[digest] != nil
    }

    /// Records that the peer has sent a blob, so that it need not do so again.
    mutating func noteShown(_ digest: BlobDigest, _ limits: ReplicatorLimits) {
        guard areBound else { return }
        if shown.count >= limits.shownBlobsCount { shown = [] }
        shown.insert(digest)
    }

    /// Whether the peer has sent this blob.
    func hasShown(_ digest: BlobDigest) -> Bool { shown.contains(digest) }

    /// Lets the peer request these blobs until they are taken back.
    mutating func lend(_ digests: [BlobDigest]) {
        for digest in digests { lent[digest, default: 0] += 1 }
    }

    mutating func takeBack(_ digests: [BlobDigest]) {
        for digest in digests {
            guard let count = lent[digest] else { continue }
            lent[digest] = count > 1 ? count - 1 : nil
        }
    }
}
