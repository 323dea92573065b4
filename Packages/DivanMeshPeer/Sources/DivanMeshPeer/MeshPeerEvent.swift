public import DivanDiscovery
public import DivanMesh
public import DivanReplicator
public import DivanTLS

/// What happens to a peer of a mesh.
public enum MeshPeerEvent: Sendable {
    /// The peer accepts connections, on this port.
    case started(port: UInt16)
    /// A peer is online, or no longer: advertised, linked, or listed by a peer that is.
    case presence(MeshPeerID, isOnline: Bool)
    /// The replication with a peer has changed; the activity `stopped` ends it, with the reason as the error.
    ///
    /// Calls that failed, and callers that were refused, are reported so too.
    case replication(MeshPeerID, isOutgoing: Bool, SyncStatus)
    /// The outcome for documents exchanged with a peer.
    case documents(MeshPeerID, [DocumentEvent])
    /// Discovery has failed; seeds and peers that are known already are still called.
    case discoveryFailed(DiscoveryError)
    /// The peer has left the mesh; the last event.
    case stopped
}

/// A peer of the mesh, as a program or a person wants to see it.
public struct MeshPeerInfo: Sendable {
    /// The peer.
    public var id: MeshPeerID
    /// Whether it is believed to run.
    public var isOnline = false
    /// Whether its revision scheme is the same; otherwise it is never linked.
    public var isCompatible = true
    /// The known peers to which it says it is linked.
    public var neighbours: [MeshPeerID] = []
    /// Its certificate, once TLS has proved that it has it.
    public var certificate: TLSCertificate?
    /// Whether this peer called it, and why they are linked; `nil` without an open link.
    public var link: (isOutgoing: Bool, reason: MeshLinkStatus.Reason)?
    /// What the replication does; `stopped` without an open link, with the error that ended it.
    public var replication = SyncStatus(.stopped)

    init(id: MeshPeerID) {
        self.id = id
    }
}
