import DivanReplicator
import DivanRevisions
import DivanStore

/// Which blobs a pull fetches with the documents that name them.
///
/// A blob that was left at the peer has no ``Blob/content`` until it is fetched; check ``Blob/isHere``. Documents with
/// such blobs can be changed and pushed back to the peer that has the blobs. A third peer that requests one from this
/// database gets a 404 and does not accept the document: only leave blobs at a peer on edge devices, not on those that
/// others pull from.
public enum BlobReplication: Sendable, Hashable {
    /// Fetches all blobs, before the document is stored.
    case eager
    /// Fetches none.
    case lazy
    /// Fetches blobs up to a size, by the length that the document states; blobs without one are left.
    case upTo(_ byteCount: UInt64)

    var policy: BlobPolicy {
        switch self {
        case .eager: .eager
        case .lazy: .lazy
        case .upTo(let byteCount): .upTo(Int(clamping: byteCount))
        }
    }
}

/// Blobs for a replicator to fetch instead of documents, and where it reports.
struct BlobErrand: Sendable {
    let blobs: [WantedBlob]
    let onEvent: @Sendable (BlobEvent) -> Void
}

extension PeerConfiguration {
    /// The same connection, only for these blobs.
    func fetching(_ blobs: [WantedBlob]) -> PeerConfiguration {
        guard case .active(var options) = role else { return self }
        options.pushes = false
        options.pulls = false
        options.isContinuous = false
        options.wantedBlobs = blobs
        var copy = self
        copy.role = .active(options)
        return copy
    }
}
