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
    /// How the database names its revisions, which determines the supported subprotocols.
    public var scheme = RevisionScheme.trees
    /// Whether sent bodies are compressed; compressed ones are always accepted.
    public var compresses = true
    /// Whether the codec's grade adapts to the link, including sending bodies uncompressed where that is faster.
    ///
    /// Measured repeatedly in each direction by the side that sends; a link that carries less than 8 MB of bodies a
    /// second gets the densest grade at once.
    public var measuresLink = false
    /// Whether deltas are offered, sent and accepted.
    public var usesDeltas = false
    /// The deflate codec, which the standard subprotocols imply.
    public var codec: any CompressionCodec
    /// Further supported codecs, the preferred one first; each is negotiated by its own subprotocol.
    ///
    /// Both peers need one with the same name; other implementations never see it (``Subprotocol``).
    public var furtherCodecs: [any CompressionCodec] = []
    /// The limits for what a peer may make this one hold.
    public var limits = ReplicatorLimits()
    /// Whether gathered revisions are stored on another thread (`SyncEffect.store`), while more arrive.
    public var storesBeside = false
    /// How long a changed checkpoint waits before it is saved; 5 s as in Couchbase Lite.
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
        /// The effective URL, or a message endpoint's name for its peer; part of the checkpoint's name and the key for
        /// what the store knows about this remote.
        public var remoteIdentity: String
        /// Whether the local checkpoint is ignored.
        public var isReset = false
        /// Whether documents that the peer refused in earlier runs are pushed again.
        public var retriesRefused = false
        /// Whether documents that the user may no longer see are purged.
        public var purgesRevoked = true
        /// The blobs that are fetched with the revisions that refer to them.
        public var blobs = BlobPolicy.eager
        /// The ciphers for properties.
        public var fields = FieldCiphers()
        /// Blobs to fetch that earlier connections left at the peer; `SyncEffect.blob` reports on each.
        ///
        /// A blob may be named with several documents: if the peer lacks it under one, the next is tried.
        public var wantedBlobs: [WantedBlob] = []

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
        /// The collections that peers may use.
        public var collections: [CollectionPath]
        /// Whether a peer may send documents.
        public var allowsPush: Bool
        /// Whether a peer may fetch documents.
        public var allowsPull: Bool
        /// The documents that a peer may fetch, by collection; all if there is no filter.
        ///
        /// Nothing else about a document is revealed, neither its ID nor its revision, and a delta is only made from a
        /// revision that the peer may fetch too.
        public var readFilters: [CollectionPath: DocumentFilter] = [:]
        /// The documents that a peer may store, by collection; all if there is no filter.
        ///
        /// The filter sees the revision to be stored; a refusal is HTTP/403.
        public var writeFilters: [CollectionPath: DocumentFilter] = [:]
        /// The documents that a peer may replace, as stored now, by collection; all if there is no filter.
        ///
        /// The filter sees the stored revision, if there is one; a refusal is HTTP/403. A peer that causes more reading
        /// for this than it has earned is asked to come back later, with HTTP/503.
        public var storedFilters: [CollectionPath: DocumentFilter] = [:]
        /// Whether a peer gets only the blobs of revisions in transit to it, and sends the content of each blob that it
        /// names, unless it may fetch the document that has it already.
        ///
        /// Otherwise it gets any blob of the database whose digest it knows: sufficient if it may read everything.
        public var bindsBlobs = false
        /// The limit for all connections together; `nil` = each has only its own limits.
        public var budget: ConnectionBudget?
        /// The party to which the budget assigns this connection: a user, or the address of one without a name.
        public var party = ""
        /// The owner to whom its checkpoints are assigned; an empty name has no limit of its own.
        public var checkpointOwner = ""
        /// Where connections share what they send; `nil` = each works separately.
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
        /// Returns `false` to skip the push of a document, which is not reported.
        public var pushFilter: DocumentFilter?
        /// Returns `false` to refuse a pulled document, which is reported as 403.
        public var pullFilter: DocumentFilter?
        /// Names the filters in the checkpoint: with another name, everything is compared anew.
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
