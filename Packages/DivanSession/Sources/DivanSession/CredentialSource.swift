public import DivanReplicator

/// The source of credentials that a session has to fetch before each attempt to connect.
///
/// The closures are called on the session's loop and must not block; `obtain` answers from any thread.
public struct CredentialSource: Sendable {
    /// The outcome of fetching.
    public enum Outcome: Sendable {
        /// There are credentials: an attempt may begin.
        case ready
        /// There are none now; retried as after a failed connection.
        case unavailable(SyncError)
        /// There will be none: the run ends.
        case denied(SyncError)
    }

    /// Fetches credentials unless there are valid ones, and answers once.
    public var obtain: @Sendable (@escaping @Sendable (Outcome) -> Void) -> Void
    /// Notes that the server refused the credentials; returns whether to obtain others at once.
    public var refused: @Sendable () -> Bool
    /// Notes that the server accepted the session; returns after how long credentials must be
    /// obtained again, `nil` for never.
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
