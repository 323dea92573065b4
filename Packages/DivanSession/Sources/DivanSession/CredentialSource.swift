public import DivanReplicator

/// The source of credentials that a session has to fetch before each attempt to connect.
///
/// The closures are called on the session's loop and must not block; `obtain` answers from any thread.
public struct CredentialSource: Sendable {
    /// The outcome of fetching.
    public enum Outcome: Sendable {
        /// Credentials are available: connect.
        case ready
        /// No credentials are available now; retry later, as after a failed connection.
        case unavailable(SyncError)
        /// No credentials will be available: the run ends.
        case denied(SyncError)
    }

    /// Fetches credentials unless there are valid ones, and answers once.
    public var obtain: @Sendable (@escaping @Sendable (Outcome) -> Void) -> Void
    /// Called when the server rejected the credentials; returns whether to fetch new ones immediately.
    public var refused: @Sendable () -> Bool
    /// Called when the server accepted the session; returns the time until credentials must be renewed, `nil` for
    /// never.
    public var accepted: @Sendable () -> Duration?

    /// Creates a source.
    public init(
        obtain: @escaping @Sendable (@escaping @Sendable (Outcome) -> Void) -> Void,
        refused: @escaping @Sendable () -> Bool,
        accepted: @escaping @Sendable () -> Duration?
    ) {
        self.obtain = obtain
        self.refused = refused
        self.accepted = accepted
    }
}
