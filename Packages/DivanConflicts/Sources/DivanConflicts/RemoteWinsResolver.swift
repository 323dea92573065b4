/// Replaces our revision with the other peer's.
public struct RemoteWinsResolver: ConflictResolver {
    /// Creates the rule; it has no settings.
    public init() {}

    /// Keeps the remote leaf, a tombstone too.
    public func resolve(_ conflict: Conflict) -> Resolution { .keepRemote }
}

extension ConflictResolver where Self == RemoteWinsResolver {
    /// Replaces our revision with the other peer's.
    public static var remoteWins: Self { Self() }
}
