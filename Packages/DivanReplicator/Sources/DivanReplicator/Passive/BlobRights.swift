import DivanRevisions
import DivanStore

/// Which blobs a peer may have, and which it has shown to have.
///
/// Where a peer may read everything, so it may any blob whose digest it knows. One with limited
/// rights gets the blobs of revisions that are on their way to it, no others.
struct BlobRights {
    /// Whether the peer gets only the blobs of revisions that are on their way to it.
    let areBound: Bool
    /// How often each blob is part of a revision on its way.
    private var lent: [BlobDigest: Int] = [:]
    /// Contents that the peer has sent over this connection.
    private var shown: Set<BlobDigest> = []

    init(areBound: Bool) {
        self.areBound = areBound
    }

    /// Whether the peer may ask for a blob now.
    func mayFetch(_ digest: BlobDigest) -> Bool {
        !areBound || lent[digest] != nil
    }

    /// Notes that the peer has sent a content, so that it need not do so again.
    mutating func noteShown(_ digest: BlobDigest, _ limits: ReplicatorLimits) {
        guard areBound else { return }
        if shown.count >= limits.shownBlobsCount { shown = [] }
        shown.insert(digest)
    }

    /// Whether the peer has sent this content.
    func hasShown(_ digest: BlobDigest) -> Bool { shown.contains(digest) }

    /// The peer may ask for these until they are taken back.
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
