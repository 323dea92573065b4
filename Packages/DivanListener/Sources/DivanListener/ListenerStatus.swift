/// How many clients are connected.
public struct ListenerStatus: Equatable, Sendable {
    /// Open replication connections.
    public let connectionCount: Int
    /// Those that are exchanging documents at this moment.
    public let activeConnectionCount: Int
}
