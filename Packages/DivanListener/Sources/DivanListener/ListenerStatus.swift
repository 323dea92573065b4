/// The number of connected clients.
public struct ListenerStatus: Equatable, Sendable {
    /// Open replication connections.
    public let connectionCount: Int
    /// Connections that were opened, or had work, within the last half second.
    public let activeConnectionCount: Int
}
