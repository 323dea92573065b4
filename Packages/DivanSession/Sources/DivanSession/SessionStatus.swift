public import DivanReplicator

/// What an active session is doing.
public enum SessionActivity: UInt8, Sendable {
    /// Not started, or over.
    case stopped
    /// Waiting to connect again.
    case offline
    /// Connecting.
    case connecting
    /// Connected and level with the peer; continuous sessions only.
    case idle
    /// Connected, with work to do.
    case busy
}

/// What an active session is doing, how far it is, and what troubles it.
public struct SessionStatus: Equatable, Sendable {
    /// The activity.
    public var activity: SessionActivity
    /// Units of work done; not documents.
    public var completedCount: UInt64
    /// Units of work known so far.
    public var totalCount: UInt64
    /// Documents transferred in both directions since the connection stands.
    public var documentCount: UInt64 = 0
    /// Documents transferred and still to be transferred, as far as is known.
    public var expectedDocumentCount: UInt64 = 0
    /// How long a session that is offline waits, from the moment when this status was told.
    public var retryDelay: Duration?
    /// The error that ended the session or made it wait, or that the run goes on with.
    public var error: SyncError?
    /// The last document whose conflict came again and again in this connection, if there was one:
    /// its resolver and those of the peers undo each other's work.
    public var rotating: PendingConflict?

    /// Creates a status.
    public init(
        activity: SessionActivity,
        completedCount: UInt64 = 0,
        totalCount: UInt64 = 0,
        error: SyncError? = nil
    ) {
        self.activity = activity
        self.completedCount = completedCount
        self.totalCount = totalCount
        self.error = error
    }
}
