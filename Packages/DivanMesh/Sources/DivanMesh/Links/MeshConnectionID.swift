/// A connection of this peer, or an attempt at one.
///
/// The mesh numbers outgoing connections, its owner incoming ones; the direction keeps the two apart.
public struct MeshConnectionID: Hashable, Sendable {
    /// Whether this peer called.
    public let isOutgoing: Bool
    /// Different for each connection of a direction; never reused.
    public let number: UInt64

    /// Names an incoming connection.
    public init(incoming number: UInt64) {
        self.init(number, isOutgoing: false)
    }

    init(outgoing number: UInt64) {
        self.init(number, isOutgoing: true)
    }

    private init(_ number: UInt64, isOutgoing: Bool) {
        self.number = number
        self.isOutgoing = isOutgoing
    }
}

/// Why a peer closes a connection, or refuses a call.
///
/// The raw value is the code of the WebSocket close frame, from the range for private use (RFC 6455 §7.4.2).
public enum LinkEnd: UInt16, Sendable {
    /// Neither end needs the link.
    case unneeded = 4_100
    /// There is another connection between the two peers.
    case duplicate = 4_101
    /// The peer has as many links as it can have.
    case full = 4_102
    /// Nothing was received for two heartbeats.
    case silent = 4_103
    /// The other peer violated the protocol.
    case offence = 4_104
    /// The peer leaves the mesh.
    case goodbye = 4_105
    /// The peers cannot sync with each other: their revision schemes differ.
    case incompatible = 4_106
    /// A peer called itself.
    case itself = 4_107
}
