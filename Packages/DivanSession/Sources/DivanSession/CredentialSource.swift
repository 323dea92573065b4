public import DivanReplicator

/// Where a session gets credentials that have to be fetched before each attempt to connect.
///
/// The closures are called on the session's loop and must not block; `obtain` answers from any thread.
public struct CredentialSource: Sendable {
    /// What came of fetching.
    public enum Outcome: Sendable {
        /// There are credentials: an attempt may begin.
        case ready
        /// There are none now; worth trying again as after a failed connection.
        case unavailable(SyncError)
        /// There will be none: the run ends.
        case denied(SyncError)
    }

    /// Fetches credentials unless there are some that will do, and answers once.
    public var obtain: @Sendable (@escaping @Sendable (Outcome) -> Void) -> Void
    /// Takes note that the server refused what was shown; returns whether to obtain others at once.
    public var refused: @Sendable () -> Bool
    /// Takes note that the server let the session in; returns in how long credentials have to be
    /// obtained anew, `nil` for never.
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
