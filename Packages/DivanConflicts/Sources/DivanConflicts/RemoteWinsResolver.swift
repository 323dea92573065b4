/// Replaces the local revision with the remote revision.
public struct RemoteWinsResolver: ConflictResolver {
    /// Creates the rule; it has no settings.
    public init() {}

    /// Keeps the remote leaf, including a tombstone.
    public func resolve(_ conflict: Conflict) -> Resolution { .keepRemote }
}

extension ConflictResolver where Self == RemoteWinsResolver {
    /// Replaces the local revision with the remote revision.
    public static var remoteWins: Self { Self() }
}
