public import DivanRevisions
public import DivanStore

/// The blobs that an active peer fetches with the revisions that refer to them.
public enum BlobPolicy: Sendable, Hashable {
    /// All: a revision is stored when its blobs are here.
    case eager
    /// None: they are fetched on request.
    case lazy
    /// Those of at most this many bytes, according to the document; without a size the blob is left.
    case upTo(Int)

    /// Whether a blob is left at the peer.
    func leaves(_ blob: BlobReference) -> Bool {
        switch self {
        case .eager: false
        case .lazy: true
        case .upTo(let limit): blob.statedByteCount.map { $0 > limit } ?? true
        }
    }
}

/// A blob whose content was left at the peer, and is wanted now.
public struct WantedBlob: Hashable, Sendable {
    /// The blob's digest.
    public var digest: BlobDigest
    /// A document under which the peer has it.
    public var documentID: DocumentID
    /// The document's collection.
    public var collection: CollectionPath

    /// Creates a request for a blob.
    public init(_ digest: BlobDigest, of documentID: DocumentID, in collection: CollectionPath) {
        self.digest = digest
        self.documentID = documentID
        self.collection = collection
    }
}

/// The progress or result of fetching a wanted blob.
public struct BlobEvent: Hashable, Sendable {
    /// The state of a fetch.
    public enum State: Hashable, Sendable {
        /// This many bytes are here; `resumedByteCount` of them were here before this connection.
        case arriving(byteCount: Int, resumedByteCount: Int)
        /// It is here.
        case arrived
        /// It could not be fetched.
        case failed(SyncError)
    }

    /// The blob's digest.
    public let digest: BlobDigest
    /// The state of the fetch.
    public let state: State
}
