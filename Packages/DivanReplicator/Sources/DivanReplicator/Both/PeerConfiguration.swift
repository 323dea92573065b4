public import DivanCompression
public import DivanCrypto
public import DivanRevisions
public import DivanStore

/// The options of a peer for one connection.
public struct PeerConfiguration: Sendable {
    /// The side that starts and controls, or the side that answers.
    public enum Role: Sendable {
        /// Starts and controls push and pull.
        case active(ActiveOptions)
        /// Answers.
        case passive(PassiveOptions)
    }

    /// The role of this peer.
    public var role: Role
    /// The database's revision scheme, which determines the supported subprotocols.
    public var scheme = RevisionScheme.trees
    /// Whether sent bodies are compressed; received ones may always be compressed.
    public var compresses = true
    /// Whether the compression level adapts to the link, including no compression if that is faster.
    ///
    /// The sender measures repeatedly. Links below 8 MB of bodies per second use the highest compression immediately.
    public var measuresLink = false
    /// Whether deltas are offered, sent and accepted.
    public var usesDeltas = false
    /// The deflate codec, which the standard subprotocols imply.
    public var codec: any CompressionCodec
    /// Further supported codecs, the preferred one first; each is negotiated by its own subprotocol.
    ///
    /// Both peers need a codec with the same name; other implementations ignore it (``Subprotocol``).
    public var furtherCodecs: [any CompressionCodec] = []
    /// The limits for the other peer.
    public var limits = ReplicatorLimits()
    /// Whether gathered revisions are stored on another thread (`SyncEffect.store`), while more arrive.
    public var storesBeside = false
    /// The revisions in flight, shared by all connections to the same database; `nil` means no sharing.
    ///
    /// With it, a revision that several peers offer is received from one of them.
    public var inFlight: RevisionsInFlight?
    /// The delay before a changed checkpoint is saved; 5 s as in Couchbase Lite.
    public var checkpointInterval: Duration = .seconds(5)
    /// The source of generated revision IDs; a simulation passes in a repeatable one.
    public var random: any RandomSource = SystemRandomSource()
    /// The time in seconds since 1970, written into checkpoints for human readers.
    public var secondsSince1970: @Sendable () -> Int64

    /// Creates a configuration.
    public init(
        role: Role,
        codec: any CompressionCodec,
        secondsSince1970: @escaping @Sendable () -> Int64
    ) {
        self.role = role
        self.codec = codec
        self.secondsSince1970 = secondsSince1970
    }

    /// The blobs that are fetched with the revisions that refer to them.
    var blobPolicy: BlobPolicy {
        if case .active(let options) = role { options.blobs } else { .eager }
    }

    /// The options of the active side.
    public struct ActiveOptions: Sendable {
        /// Whether local changes are sent to the peer.
        public var pushes: Bool
        /// Whether the peer's changes are fetched.
        public var pulls: Bool
        /// Whether the replication stays connected when it has caught up.
        public var isContinuous: Bool
        /// The collections, in the order used on the wire.
        public var collections: [CollectionOptions]
        /// The effective URL, or a message endpoint's ID of its peer.
        ///
        /// It is part of the checkpoint's name, and identifies the remote in the store.
        public var remoteIdentity: String
        /// Whether the local checkpoint is ignored.
        public var isReset = false
        /// Whether documents that the peer rejected in earlier runs are pushed again, and those that could not be
        /// pulled are pulled again.
        ///
        /// Divan peers are asked for the latter in each run.
        public var retriesRefused = false
        /// Whether documents that the user can no longer access are purged.
        public var purgesRevoked = true
        /// The blobs that are downloaded with their revisions.
        public var blobs = BlobPolicy.eager
        /// The ciphers for properties.
        public var fields = FieldCiphers()
        /// Blobs to download that earlier connections did not; `SyncEffect.blob` reports on each.
        ///
        /// A blob can be requested with several documents: if the peer does not have it in one, the next is tried.
        public var wantedBlobs: [RequestedBlob] = []

        /// Creates options.
        public init(
            pushes: Bool,
            pulls: Bool,
            isContinuous: Bool,
            collections: [CollectionOptions],
            remoteIdentity: String
        ) {
            self.pushes = pushes
            self.pulls = pulls
            self.isContinuous = isContinuous
            self.collections = collections
            self.remoteIdentity = remoteIdentity
        }
    }

    /// The options of the passive side.
    public struct PassiveOptions: Sendable {
        /// The collections that peers can access.
        public var collections: [CollectionPath]
        /// Whether a peer may send documents.
        public var allowsPush: Bool
        /// Whether a peer may fetch documents.
        public var allowsPull: Bool
        /// Select the documents that a peer can read, by collection; all if there is no filter.
        ///
        /// For other documents, neither the ID nor the revision is revealed. A delta is only based on a revision that
        /// the peer can read.
        public var readFilters: [CollectionPath: DocumentFilter] = [:]
        /// Select the documents that a peer can write, by collection; all if there is no filter.
        ///
        /// The filter receives the revision to be stored; other revisions are answered with HTTP/403.
        public var writeFilters: [CollectionPath: DocumentFilter] = [:]
        /// Select the stored documents that a peer can replace, by collection; all if there is no filter.
        ///
        /// The filter receives the stored revision, if any; others are answered with HTTP/403. If a peer causes too
        /// many reads, it gets HTTP/503 and must retry later.
        public var storedFilters: [CollectionPath: DocumentFilter] = [:]
        /// The documents in which a peer is interested, by collection; all if there is no filter.
        ///
        /// Others are not announced to it. They are not secret: the peer gets its own documents back, and the rivals of
        /// the revisions that it pushes.
        public var interests: [CollectionPath: DocumentFilter] = [:]
        /// Whether a peer only gets the blobs of revisions that are being sent to it, and must send the content of each
        /// blob it references, unless it can read a document that already has the blob.
        ///
        /// Otherwise, it gets any blob of the database by digest, which is sufficient if it can read everything.
        public var bindsBlobs = false
        /// The limit for all connections together; `nil` means that each only has its own limits.
        public var budget: ConnectionBudget?
        /// The party of this connection in the budget: a user, or an address if there is no user name.
        public var party = ""
        /// The owner of the client's checkpoints, whose number is limited per owner; an empty name has no such limit.
        public var checkpointOwner = ""
        /// The cache of sent revisions that connections share; `nil` means no sharing.
        public var shared: SharedRevisions?

        /// Creates options.
        public init(collections: [CollectionPath], allowsPush: Bool = true, allowsPull: Bool = true)
        {
            self.collections = collections
            self.allowsPush = allowsPush
            self.allowsPull = allowsPull
        }
    }

    /// The options of one collection on the active side.
    public struct CollectionOptions: Sendable {
        /// The collection, with the same name on both sides.
        public var path: CollectionPath
        /// Returns `false` to skip the push of a document without an error.
        public var pushFilter: DocumentFilter?
        /// Returns `false` for a document in which the peer is not interested; it is pushed if the peer has an earlier
        /// revision.
        public var interest: DocumentFilter?
        /// Returns `false` to reject a pulled document, which is reported as 403.
        public var pullFilter: DocumentFilter?
        /// The name of the filters in the checkpoint: with another name, all documents are compared again.
        public var filterName: String?
        /// Channels of Sync Gateway to pull from; empty means all.
        public var channels: [String] = []
        /// Documents to push and pull; empty means all.
        public var documentIDs: [DocumentID] = []

        /// Creates options without filters.
        public init(_ path: CollectionPath) {
            self.path = path
        }
    }
}

extension PeerConfiguration.PassiveOptions {
    /// The same settings for a connection that begins now.
    ///
    /// Blobs belong to the database: a client must not fetch those of collections that are not shared. Sets
    /// ``bindsBlobs`` if there are any, or if the collections cannot be read.
    public func bindingBlobs(of store: Store) -> Self {
        var options = self
        let all = try? store.collections()
        options.bindsBlobs = all.map { !Set($0).isSubset(of: collections) } ?? true
        return options
    }
}
