import DivanReplicator
import DivanRevisions
import DivanStore

/// Which blobs a pull fetches with the documents that name them.
///
/// A blob that was left at the peer has no ``Blob/content`` until it is fetched; ``Blob/isHere`` tells.
/// Documents with such blobs can be changed and pushed back to where the blobs are. A third peer that
/// asks this database for one is told 404, and does not take the document: leave blobs at a peer on
/// devices at the edge, not on those that others pull from.
public enum BlobReplication: Sendable, Hashable {
    /// All blobs, before the document is stored.
    case eager
    /// None.
    case lazy
    /// Those of at most so many bytes, by the length that the document states; one that states none is
    /// left.
    case upTo(_ byteCount: UInt64)

    var policy: BlobPolicy {
        switch self {
        case .eager: .eager
        case .lazy: .lazy
        case .upTo(let byteCount): .upTo(Int(clamping: byteCount))
        }
    }
}

/// Blobs that a replicator is to fetch instead of documents, and whom it tells.
struct BlobErrand: Sendable {
    let blobs: [WantedBlob]
    let onEvent: @Sendable (BlobEvent) -> Void
}

extension PeerConfiguration {
    /// The same connection, for nothing but these blobs.
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
