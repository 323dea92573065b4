public import DivanReplicator

/// A snapshot of an open connection of a listener.
public struct ListenerConnection: Sendable {
    /// Its number, unique within this listener.
    public let id: UInt64
    /// The client at the other end.
    public let client: ListenerClient
    /// When it was opened.
    public let start: ContinuousClock.Instant
    /// The name of this side's codec: `"deflate"`, `"lz4"`, `"mixed"`, `"none"`.
    public let codecName: String
    /// The ID of this connection in the logs of both sides.
    public let correlationID: String
    /// Whether it was opened, or had work, within the last half second.
    public let isActive: Bool
    /// A response that the client has not sent in time; `nil` while there is progress.
    public let stall: SyncWait?
    /// The traffic of the connection.
    public let statistics: ListenerStatistics
}
