public import DivanDiscovery
public import DivanMesh
public import DivanReplicator
public import DivanStore
public import DivanTLS

/// An event of a mesh peer.
public enum MeshPeerEvent: Sendable {
    /// The peer accepts connections, on this port.
    case started(port: UInt16)
    /// A peer has come online or gone offline: it is online if it is advertised, linked, or listed by such a peer.
    case presence(MeshPeerID, isOnline: Bool)
    /// The replication with a peer has changed; the activity `stopped` ends it, with the reason as the error.
    ///
    /// Calls that failed, and callers that were refused, are reported in the same way.
    case replication(MeshPeerID, isOutgoing: Bool, SyncStatus)
    /// The outcome for documents exchanged with a peer.
    case documents(MeshPeerID, [DocumentEvent])
    /// Discovery has failed; seeds and known peers are still called.
    case discoveryFailed(DiscoveryError)
    /// The peer has left the mesh; the last event.
    case stopped
}

/// The status of a peer of the mesh, for programs and people.
public struct MeshPeerInfo: Sendable {
    /// The peer.
    public var id: MeshPeerID
    /// Whether it is believed to be running.
    public var isOnline = false
    /// Whether its revision scheme is the same; otherwise it is never linked.
    public var isCompatible = true
    /// The known peers that it lists as its neighbours.
    public var neighbours: [MeshPeerID] = []
    /// Whether it subscribes to a part of the documents, or filters them, and so cannot carry all to others.
    public var isPartial = false
    /// The collections that are synced with it, as of the last link; `nil` before the first one.
    public var collections: [CollectionPath]?
    /// Its conditions for documents, by collection, as of the last link.
    public var subscriptions: [CollectionPath: String] = [:]
    /// Its certificate, once TLS has proved that it has it.
    public var certificate: TLSCertificate?
    /// Whether this peer called it, and why they are linked; `nil` without an open link.
    public var link: (isOutgoing: Bool, reason: MeshLinkStatus.Reason)?
    /// What the replication does; `stopped` without an open link, with the error that ended it.
    public var replication = SyncStatus(.stopped)

    /// Describes a peer of which nothing is known.
    public init(id: MeshPeerID) {
        self.id = id
    }
}
