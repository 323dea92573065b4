public import DivanRevisions
public import DivanStore

/// What the engine asks of whoever runs it, in order.
public enum SyncEffect: Sendable {
    /// Close the WebSocket with this code; `error` is why, `nil` when all went well. Nothing
    /// follows but `status`.
    case close(code: CloseCode, error: SyncError?)
    /// The replication's state changed.
    case status(SyncStatus)
    /// Documents came or went, or could not.
    case documents([DocumentEvent])
    /// A pulled revision conflicts with a local one: resolve it, store the result, and call
    /// `conflictResolved`.
    case resolve(PendingConflict)
    /// Run this on another thread, and call `advance(to:)` then; only where
    /// `PeerConfiguration.storesBeside` allows it.
    case store(StoringWork)
    /// Something became of a content that the configuration wants.
    case blob(BlobEvent)
}

/// A document with two live branches.
public struct PendingConflict: Hashable, Sendable {
    /// The document's collection.
    public let collection: CollectionPath
    /// The document.
    public let documentID: DocumentID
}

/// What became of one document.
public struct DocumentEvent: Hashable, Sendable {
    /// The document's collection.
    public let collection: CollectionPath
    /// The document.
    public let documentID: DocumentID
    /// Whether it was on its way to the peer.
    public let isPush: Bool
    /// What is particular about it.
    public let flags: SyncFlags
    /// Why it did not arrive; `nil` when it did.
    public var error: SyncError? { failure?.error }
    /// The difference as which it travelled; `nil` when its body went whole.
    public internal(set) var delta: DeltaUse?
    private let failure: Failure?

    /// An error by reference: it is large, and most events have none.
    private indirect enum Failure: Hashable, Sendable {
        case because(SyncError)

        var error: SyncError {
            switch self {
            case .because(let error): error
            }
        }
    }

    private init(
        collection: CollectionPath,
        documentID: DocumentID,
        isPush: Bool,
        flags: SyncFlags,
        error: SyncError?,
        delta: DeltaUse? = nil
    ) {
        self.collection = collection
        self.documentID = documentID
        self.isPush = isPush
        self.flags = flags
        self.delta = delta
        failure = error.map { .because($0) }
    }
}

extension DocumentEvent {
    /// A local change on its way to the peer.
    init(pushing change: FeedChange, in collection: CollectionPath, _ error: SyncError?) {
        self.init(
            collection: collection,
            documentID: change.documentID,
            isPush: true,
            flags: change.flags,
            error: error
        )
    }

    /// A local change that cannot be read, and stays here.
    init(pushing change: DamagedChange, in collection: CollectionPath) {
        self.init(
            collection: collection,
            documentID: change.documentID,
            isPush: true,
            flags: [],
            error: SyncError(storage: change.error)
        )
    }

    /// A document on its way here.
    init(
        pulling documentID: DocumentID,
        in collection: CollectionPath,
        flags: SyncFlags = [],
        delta: DeltaUse? = nil,
        _ error: SyncError?
    ) {
        self.init(
            collection: collection,
            documentID: documentID,
            isPush: false,
            flags: flags,
            error: error,
            delta: delta
        )
    }

    /// A pulled document whose conflict was, or could not be, resolved.
    init(resolving conflict: PendingConflict, flags: SyncFlags = [], _ error: SyncError?) {
        self.init(pulling: conflict.documentID, in: conflict.collection, flags: flags, error)
    }
}

/// A body that travelled as a difference.
public struct DeltaUse: Hashable, Sendable {
    /// Bytes of the difference.
    public let byteCount: Int
    /// Bytes of the body that it stands for.
    public let bodyByteCount: Int
}

/// Where a replication stands: the same from the engine, which knows one connection, to the session,
/// which makes them.
public struct SyncStatus: Equatable, Sendable {
    /// What the replication is doing.
    public enum Activity: UInt8, Sendable {
        /// Not started, or ended.
        case stopped
        /// Waiting to connect again; a session's, which makes one connection after another.
        case offline
        /// Not connected yet.
        case connecting
        /// Connected, everything exchanged, waiting for changes.
        case idle
        /// Exchanging.
        case busy
    }

    /// What the replication is doing.
    public var activity: Activity
    /// Units of work finished: about one per byte of a document.
    public var completedUnitCount: UInt64 = 0
    /// Units of work known so far; grows during a run.
    public var totalUnitCount: UInt64 = 0
    /// Documents transferred in both directions.
    public var documentCount: UInt64 = 0
    /// Documents transferred and still to be transferred, as far as is known: too many rather than
    /// too few while changes remain to be looked at, exact afterwards.
    ///
    /// Peers other than Divan do not tell what they have, so a pull from them knows only what was
    /// announced so far.
    public var expectedDocumentCount: UInt64 = 0
    /// How long a session that is offline waits, from the moment when this status was told.
    public var retryDelay: Duration?
    /// What went wrong last, of the replication as a whole: it ended the replication or makes it wait, or
    /// the replication goes on with it.
    public var error: SyncError?
    /// The last document whose conflict came again and again in this connection, if there was one:
    /// its resolver and those of the peers undo each other's work.
    public var rotating: PendingConflict?
    /// What is waited for so long that somebody should look; `nil` while all goes on.
    ///
    /// Told after `ReplicatorLimits.patience`, and again each time that it has doubled.
    public var stall: SyncWait?
    /// Whether the session waits for credentials of the application, or ended for want of them.
    public var needsCredentials = false

    /// Creates a status without progress.
    public init(_ activity: Activity) {
        self.activity = activity
    }
}
