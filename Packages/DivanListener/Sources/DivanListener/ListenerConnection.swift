public import DivanReplicator

/// An open connection of a listener, at the moment of asking.
public struct ListenerConnection: Sendable {
    /// Its number, which no other connection of this listener gets.
    public let id: UInt64
    /// Who is at the other end.
    public let client: ListenerClient
    /// When it was opened.
    public let start: ContinuousClock.Instant
    /// The name of what this side compresses with: `"deflate"`, `"lz4"`, `"mixed"`, `"none"`.
    public let codecName: String
    /// What the client was told to call this connection in its log.
    public let correlationID: String
    /// Whether it was opened, or had work, within the last half second.
    public let isActive: Bool
    /// What the client has owed for so long that somebody should look; `nil` while all goes on.
    public let stall: SyncWait?
    /// What has gone over it.
    public let statistics: ListenerStatistics
}
