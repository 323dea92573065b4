/// What the other peer holds replaces ours.
public struct RemoteWinsResolver: ConflictResolver {
    /// Creates the rule; it has no settings.
    public init() {}

    /// Keeps the remote leaf, a tombstone too.
    public func resolve(_ conflict: Conflict) -> Resolution { .keepRemote }
}

extension ConflictResolver where Self == RemoteWinsResolver {
    /// What the other peer holds replaces ours.
    public static var remoteWins: Self { Self() }
}
