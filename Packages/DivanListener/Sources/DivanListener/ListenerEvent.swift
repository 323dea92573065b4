public import DivanReplicator

/// Something that happened on a connection of a listener, for a log of who did what.
public struct ListenerEvent: Sendable {
    /// What happened.
    public enum Kind: Sendable {
        /// The connection was opened.
        case connected
        /// Documents were received (`isPush` is false), sent, or failed.
        case documents([DocumentEvent])
        /// The connection ended, after this traffic.
        case disconnected(ListenerStatistics, SyncError?)
    }

    /// The number of the connection, unique within this listener.
    public let connectionID: UInt64
    /// The client at the other end.
    public let client: ListenerClient
    /// What happened.
    public let kind: Kind
}
