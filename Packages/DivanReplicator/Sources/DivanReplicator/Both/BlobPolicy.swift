public import DivanRevisions
public import DivanStore

/// Which contents an active peer fetches with the revisions that name them.
public enum BlobPolicy: Sendable, Hashable {
    /// All: a revision is stored when its contents are here.
    case eager
    /// None: they are fetched when somebody asks for them.
    case lazy
    /// Those of at most so many bytes, by what the document says; one that says nothing is left.
    case upTo(Int)

    /// Whether a content is left at the peer.
    func leaves(_ blob: BlobReference) -> Bool {
        switch self {
        case .eager: false
        case .lazy: true
        case .upTo(let limit): blob.statedByteCount.map { $0 > limit } ?? true
        }
    }
}

/// A content that was left at the peer, and is wanted now.
public struct WantedBlob: Hashable, Sendable {
    /// The content.
    public var digest: BlobDigest
    /// A document under which the peer has it.
    public var documentID: DocumentID
    /// The document's collection.
    public var collection: CollectionPath

    /// Creates a wish.
    public init(_ digest: BlobDigest, of documentID: DocumentID, in collection: CollectionPath) {
        self.digest = digest
        self.documentID = documentID
        self.collection = collection
    }
}

/// What became of a wanted content so far.
public struct BlobEvent: Hashable, Sendable {
    /// How far it is.
    public enum State: Hashable, Sendable {
        /// So many bytes are here; of them so many were here before this connection.
        case arriving(byteCount: Int, resumedByteCount: Int)
        /// It is here.
        case arrived
        /// It could not be fetched.
        case failed(SyncError)
    }

    /// The content.
    public let digest: BlobDigest
    /// How far it is.
    public let state: State
}
