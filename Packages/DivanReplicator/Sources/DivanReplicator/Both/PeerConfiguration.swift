public import DivanCompression
public import DivanCrypto
public import DivanRevisions
public import DivanStore

/// How a peer takes part in one connection.
public struct PeerConfiguration: Sendable {
    /// The side that starts and drives, or the side that answers.
    public enum Role: Sendable {
        /// Starts and drives push and pull.
        case active(ActiveOptions)
        /// Answers.
        case passive(PassiveOptions)
    }

    /// The side this peer is on.
    public var role: Role
    /// How the database names its revisions: decides which subprotocols are spoken.
    public var scheme = RevisionScheme.trees
    /// Whether bodies are sent through the codec; a receiver always takes compressed ones.
    public var compresses = true
    /// Whether the codec's grade follows the link, and bodies go plain where that turns out to be
    /// faster than any.
    ///
    /// Measured in each direction by the side that sends, again and again; a link that carries
    /// less than 8 MB of bodies a second gets the densest grade at once.
    public var measuresLink = false
    /// Whether deltas are offered, sent and accepted.
    public var usesDeltas = false
    /// The deflate codec, which the standard subprotocols mean.
    public var codec: any CompressionCodec
    /// Codecs spoken beside it, the preferred first; each is agreed on by a subprotocol of its own.
    ///
    /// Both peers need one of the same name; others never hear of it (``Subprotocol``).
    public var furtherCodecs: [any CompressionCodec] = []
    /// What a peer may make this one hold.
    public var limits = ReplicatorLimits()
    /// Whether what is gathered is stored on another thread (`SyncEffect.store`), while more of it comes.
    public var storesBeside = false
    /// How long a changed checkpoint waits before it is saved; 5 s as in Couchbase Lite.
    public var checkpointInterval: Duration = .seconds(5)
    /// Where made-up revision IDs come from; a simulation hands in a source that repeats itself.
    public var random: any RandomSource = SystemRandomSource()
    /// Seconds since 1970, written into checkpoints for people.
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

    /// Which contents are fetched with the revisions that name them.
    var blobPolicy: BlobPolicy {
        if case .active(let options) = role { options.blobs } else { .eager }
    }

    /// What the active side wants.
    public struct ActiveOptions: Sendable {
        /// Whether local changes go to the peer.
        public var pushes: Bool
        /// Whether the peer's changes come here.
        public var pulls: Bool
        /// Whether the replication stays connected when it has caught up.
        public var isContinuous: Bool
        /// The collections; their order is the order on the wire.
        public var collections: [CollectionOptions]
        /// The effective URL, or a message endpoint's name for its peer; part of the checkpoint's
        /// name and the key of what the store knows about this remote.
        public var remoteIdentity: String
        /// Whether the local checkpoint is ignored.
        public var isReset = false
        /// Whether documents are pushed again that the peer refused in earlier runs.
        public var retriesRefused = false
        /// Whether documents that the user may no longer see are purged.
        public var purgesRevoked = true
        /// Which contents are fetched with the revisions that name them.
        public var blobs = BlobPolicy.eager
        /// What encrypts and decrypts properties.
        public var fields = FieldCiphers()
        /// Contents to fetch that earlier connections have left at the peer; `SyncEffect.blob` tells
        /// what becomes of each.
        ///
        /// A content may be named more than once: under the next document where the peer has none of the first.
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

    /// What the passive side allows.
    public struct PassiveOptions: Sendable {
        /// The collections that peers may use.
        public var collections: [CollectionPath]
        /// Whether a peer may send documents here.
        public var allowsPush: Bool
        /// Whether a peer may fetch documents.
        public var allowsPull: Bool
        /// Which documents a peer may fetch, by collection; all where nothing is given.
        ///
        /// Nothing else of a document is told, neither its ID nor its revision, and a difference is
        /// only made from a revision that the peer may fetch too.
        public var readFilters: [CollectionPath: DocumentFilter] = [:]
        /// Which documents a peer may store, by collection; all where nothing is given.
        ///
        /// The filter sees what would be stored; a refusal is HTTP/403.
        public var writeFilters: [CollectionPath: DocumentFilter] = [:]
        /// Which documents a peer may replace, as they are now, by collection; all where nothing is given.
        ///
        /// The filter sees what is stored, where there is something; a refusal is HTTP/403. Who has more read
        /// for it than it has earned is asked to come later, by HTTP/503.
        public var storedFilters: [CollectionPath: DocumentFilter] = [:]
        /// Whether a peer gets only the blobs of revisions that are on their way to it, and sends the
        /// content of each blob that it names, unless it may fetch the document that has it already.
        ///
        /// Without, it gets any blob of the database whose digest it knows: enough where it may read
        /// everything.
        public var bindsBlobs = false
        /// What all connections may hold together; `nil` = each within its own limits.
        public var budget: ConnectionBudget?
        /// Whom this connection counts for there: a user, or the address of one without a name.
        public var party = ""
        /// Whom its checkpoints count for; nobody has a bound of his own.
        public var checkpointOwner = ""
        /// Where connections share what they send; `nil` = each for itself.
        public var shared: SharedRevisions?

        /// Creates options.
        public init(collections: [CollectionPath], allowsPush: Bool = true, allowsPull: Bool = true)
        {
            self.collections = collections
            self.allowsPush = allowsPush
            self.allowsPull = allowsPull
        }
    }

    /// One collection on the active side.
    public struct CollectionOptions: Sendable {
        /// The collection, by the same name on both sides.
        public var path: CollectionPath
        /// Refuses to push a document by returning `false`; silent.
        public var pushFilter: DocumentFilter?
        /// Refuses to store a pulled document by returning `false`; reported as 403.
        public var pullFilter: DocumentFilter?
        /// Channels to pull from, as Sync Gateway knows them; empty means all.
        public var channels: [String] = []
        /// Documents to push and pull; empty means all.
        public var documentIDs: [DocumentID] = []

        /// Creates options without filters.
        public init(_ path: CollectionPath) {
            self.path = path
        }
    }
}
