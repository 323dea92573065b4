/// An event of a mesh peer, reported by the owner of its sockets.
public enum MeshEvent: Sendable {
    /// The listener accepts connections at these addresses, the best first, or at others than before.
    case listening([MeshAddress])
    /// A peer was found on the network, or its advertisement has changed.
    case found(MeshAdvertisement)
    /// The advertisement of this name was withdrawn.
    case lost(name: [UInt8])
    /// A peer calls; TLS has proved its ID, and the request for the group's path has not been answered.
    ///
    /// The effects contain `accept` or `refuse`.
    case called(MeshConnectionID, from: MeshPeerID)
    /// A call was accepted; TLS has proved the peer's ID.
    case opened(MeshConnectionID, MeshPeerID)
    /// A call has failed.
    case failed(MeshConnectionID, CallFailure)
    /// Replication on the link is idle.
    case idle(MeshConnectionID)
    /// A gossip message arrived.
    case received(MeshConnectionID, [UInt8])
    /// A connection has ended; the peer's reason, `nil` if the connection failed.
    case closed(MeshConnectionID, LinkEnd?)
    /// The time of the last `setTimer` has come.
    case timer
    /// This peer leaves the mesh. Later events have no effects.
    case stop
}

/// Why a call has failed.
public enum CallFailure: Sendable {
    /// There was no answer, or the connection failed.
    case unreachable
    /// Another peer than the expected one has this address, or no peer of the group.
    case wrongPeer
    /// One of the two rejects the other's certificate.
    case untrusted
    /// The peer refused the call.
    ///
    /// - `by` is the peer's ID, which TLS has proved.
    /// - `retryAfter` is how long the peer asks to be left alone.
    /// - `introduction` is a gossip message with other peers; empty if there is none.
    case refused(LinkEnd, by: MeshPeerID, retryAfter: Duration?, introduction: [UInt8])
}

/// What the owner of the sockets must do, in order.
public enum MeshEffect: Equatable, Sendable {
    /// Call a peer, and report `opened` or `failed`.
    ///
    /// If `expecting` is not `nil` and TLS proves another ID, the call has failed with `wrongPeer`.
    case connect(MeshConnectionID, to: MeshAddress, expecting: MeshPeerID?)
    /// Answer a call: the link is open.
    case accept(MeshConnectionID)
    /// Refuse a call with status 503, `Retry-After`, and the message as the body.
    case refuse(MeshConnectionID, LinkEnd, retryAfter: Duration, introduction: [UInt8])
    /// Close a connection, or cancel a call. No event of it has an effect any more.
    case close(MeshConnectionID, LinkEnd)
    /// Send a gossip message.
    case send(MeshConnectionID, [UInt8])
    /// Publish this on the network in place of the previous announcement.
    case publish(MeshAnnouncement)
    /// Report `timer` at this time, and not at the one set before.
    case setTimer(at: Duration)
    /// Notify the application that a peer is online or offline.
    case report(MeshPeerID, isOnline: Bool)
}

/// An advertisement on the network.
///
/// Its content is untrusted.
public struct MeshAdvertisement: Equatable, Sendable {
    /// The instance name, which is unique on the network; two may have the same peer ID.
    public var name: [UInt8]
    /// What the TXT record says.
    public var announcement: MeshAnnouncement
    /// Where the peer accepts connections, the best first; only the first `MeshLimits.addressCount` are used.
    public var addresses: [MeshAddress]

    /// Describes an advertisement.
    public init(name: [UInt8], announcement: MeshAnnouncement, addresses: [MeshAddress]) {
        self.name = name
        self.announcement = announcement
        self.addresses = addresses
    }
}
