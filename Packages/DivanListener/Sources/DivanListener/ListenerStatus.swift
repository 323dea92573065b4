/// How many clients are connected.
public struct ListenerStatus: Equatable, Sendable {
    /// Open replication connections.
    public let connectionCount: Int
    /// Those that were opened, or had work, within the last half second.
    public let activeConnectionCount: Int
}
