public import DivanRevisions
public import DivanStore

/// The blobs that an active peer downloads with their revisions.
public enum BlobPolicy: Sendable, Hashable {
    /// All: a revision is stored when its blobs have arrived.
    case eager
    /// None: blobs are downloaded on request.
    case lazy
    /// Blobs of at most this many bytes, according to the document; blobs without a size are not downloaded.
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

/// A request for a blob that was not downloaded.
public struct RequestedBlob: Hashable, Sendable {
    /// The blob's digest.
    public var digest: BlobDigest
    /// A document that references the blob on the peer.
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

/// The progress or result of a requested blob.
public struct BlobEvent: Hashable, Sendable {
    /// The state of a fetch.
    public enum State: Hashable, Sendable {
        /// This many bytes were received, `resumedByteCount` of them over earlier connections.
        case arriving(byteCount: Int, resumedByteCount: Int)
        /// The blob is stored.
        case arrived
        /// The download failed.
        case failed(SyncError)
    }

    /// The blob's digest.
    public let digest: BlobDigest
    /// The state of the fetch.
    public let state: State
}
