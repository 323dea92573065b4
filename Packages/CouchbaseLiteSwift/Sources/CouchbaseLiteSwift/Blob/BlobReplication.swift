import DivanDatabase
import DivanReplicator
import DivanRevisions

/// Which blobs a pull downloads with their documents.
///
/// A blob that was not downloaded has no ``Blob/content`` until you fetch it; check ``Blob/isHere``. Documents with
/// such blobs can be changed and pushed back to the peer that has the blobs. A third peer that requests such a blob
/// from this database gets a 404 and does not accept the document. So use `lazy` and `upTo` only in databases that no
/// other peers pull from.
public enum BlobReplication: Sendable, Hashable {
    /// Downloads all blobs before the document is stored.
    case eager
    /// Downloads no blobs.
    case lazy
    /// Downloads blobs up to a size in bytes, by the length in the document; blobs without a length are not downloaded.
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
struct BlobFetchRequest: Sendable {
    let blobs: [RequestedBlob]
    let onEvent: @Sendable (BlobEvent) -> Void
}

extension PeerConfiguration {
    /// The same connection, only for these blobs.
    func fetching(_ blobs: [RequestedBlob]) -> PeerConfiguration {
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
