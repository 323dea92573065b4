public import DivanRevisions
public import DivanStore

/// What the driver of a peer must do, in order.
public enum SyncEffect: Sendable {
    /// Close the WebSocket with this code; `error` is the reason, `nil` if there was no error. Only `status` follows.
    case close(code: CloseCode, error: SyncError?)
    /// The replication's state changed.
    case status(SyncStatus)
    /// Documents were transferred or failed.
    case documents([DocumentEvent])
    /// A pulled revision conflicts with a local one: resolve it, store the result, and call
    /// `conflictResolved`.
    case resolve(PendingConflict)
    /// Run this on another thread, then call `advance(to:)`; only with `PeerConfiguration.storesBeside`.
    case store(StoringWork)
    /// A list waits for another connection's transfer: call `AwaitedTransfer.whenOver`, and `advance(to:)` when it calls
    /// back; only with `PeerConfiguration.inFlight`.
    case transfer(AwaitedTransfer)
    /// Progress or result of a blob that the configuration requests.
    case blob(BlobEvent)
}

/// A document with two live branches.
public struct PendingConflict: Hashable, Sendable {
    /// The document's collection.
    public let collection: CollectionPath
    /// The document.
    public let documentID: DocumentID
}

/// The result for one document.
public struct DocumentEvent: Hashable, Sendable {
    /// The document's collection.
    public let collection: CollectionPath
    /// The document.
    public let documentID: DocumentID
    /// The revision that was transferred or failed; `nil` if it is unknown, and for a resolved conflict.
    public let revisionID: RevisionID?
    /// Whether it was pushed to the peer, as opposed to pulled.
    public let isPush: Bool
    /// Special properties of the document.
    public let flags: SyncFlags
    /// Why it was not transferred; `nil` if it was transferred.
    public var error: SyncError? { failure?.error }
    /// The delta that was transferred; `nil` for a full body.
    public internal(set) var delta: DeltaUse?
    private let failure: Failure?

    /// A reference to an error, which is large; most events have none.
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
        revisionID: RevisionID?,
        isPush: Bool,
        flags: SyncFlags,
        error: SyncError?,
        delta: DeltaUse? = nil
    ) {
        self.collection = collection
        self.documentID = documentID
        self.revisionID = revisionID
        self.isPush = isPush
        self.flags = flags
        self.delta = delta
        failure = error.map { .because($0) }
    }
}

extension DocumentEvent {
    /// A local change that is pushed.
    init(pushing change: FeedChange, in collection: CollectionPath, _ error: SyncError?) {
        self.init(
            collection: collection,
            documentID: change.documentID,
            revisionID: change.revisionID,
            isPush: true,
            flags: change.flags,
            error: error
        )
    }

    /// A local change that cannot be read, and is not sent.
    init(pushing change: DamagedChange, in collection: CollectionPath) {
        self.init(
            collection: collection,
            documentID: change.documentID,
            revisionID: nil,
            isPush: true,
            flags: [],
            error: SyncError(storage: change.error)
        )
    }

    /// A document that is pulled.
    init(
        pulling documentID: DocumentID,
        _ revisionID: RevisionID? = nil,
        in collection: CollectionPath,
        flags: SyncFlags = [],
        delta: DeltaUse? = nil,
        _ error: SyncError?
    ) {
        self.init(
            collection: collection,
            documentID: documentID,
            revisionID: revisionID,
            isPush: false,
            flags: flags,
            error: error,
            delta: delta
        )
    }

    /// A pulled document whose conflict was resolved, or could not be.
    init(resolving conflict: PendingConflict, flags: SyncFlags = [], _ error: SyncError?) {
        self.init(pulling: conflict.documentID, in: conflict.collection, flags: flags, error)
    }
}

/// A body that was transferred as a delta.
public struct DeltaUse: Hashable, Sendable {
    /// Bytes of the delta.
    public let byteCount: Int
    /// Bytes of the body that it represents.
    public let bodyByteCount: Int
}

/// The state of a replication, reported by the engine for a connection and by the session for all its connections.
public struct SyncStatus: Equatable, Sendable {
    /// What the replication is doing.
    public enum Activity: UInt8, Sendable {
        /// Not started, or ended.
        case stopped
        /// Waiting to reconnect; only in a session, which makes one connection after another.
        case offline
        /// Not connected yet.
        case connecting
        /// Connected, everything exchanged, waiting for changes.
        case idle
        /// Exchanging changes.
        case busy
    }

    /// What the replication is doing.
    public var activity: Activity
    /// Units of work completed: about one per byte of a document.
    public var completedUnitCount: UInt64 = 0
    /// Units of work known so far; grows during a run.
    public var totalUnitCount: UInt64 = 0
    /// Documents transferred in both directions.
    public var documentCount: UInt64 = 0
    /// Documents transferred and still to be transferred, as far as known.
    ///
    /// The number may be too high until all changes have been examined.
    ///
    /// Only Divan peers report their number of documents; for others, a pull counts the announced changes.
    public var expectedDocumentCount: UInt64 = 0
    /// The time until an offline session reconnects, from the moment of this status.
    public var retryDelay: Duration?
    /// The last error of the whole replication, whether or not it ended the replication.
    public var error: SyncError?
    /// The last document whose conflict keeps recurring in this connection, if any, because the resolvers of the peers
    /// give different results.
    public var rotating: PendingConflict?
    /// A wait that has lasted too long; `nil` while there is progress.
    ///
    /// Reported after `ReplicatorLimits.patience`, and again each time it has doubled.
    public var stall: SyncWait?
    /// Whether the session is waiting for credentials from the application, or ended without them.
    public var needsCredentials = false

    /// Creates a status without progress.
    public init(_ activity: Activity) {
        self.activity = activity
    }
}
