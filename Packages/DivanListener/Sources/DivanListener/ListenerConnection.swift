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
    /// The ID that the client was told to use for this connection in its log.
    public let correlationID: String
    /// Whether it was opened, or had work, within the last half second.
    public let isActive: Bool
    /// What the client has owed for too long; `nil` while there is progress.
    public let stall: SyncWait?
    /// What it has transferred.
    public let statistics: ListenerStatistics
}
