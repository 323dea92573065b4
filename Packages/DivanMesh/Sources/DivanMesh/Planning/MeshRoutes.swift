/// Over which links documents reach the other peers: the shortest ways over peers that pass them on.
///
/// ```swift
/// let routes = MeshRoutes(over: linkedPeers) { peer in
///     peer.isPartial ? [] : peer.neighbours
/// }
/// ```
///
/// The time is proportional to the number of neighbours of all peers.
public struct MeshRoutes: Sendable {
    private var carriers: [MeshPeerID: MeshPeerID] = [:]

    /// Finds the routes that begin with these links.
    ///
    /// `receivers` returns the peers to which a peer passes on what it receives: its neighbours, or none.
    public init(over links: [MeshPeerID], to receivers: (MeshPeerID) -> [MeshPeerID]) {
        var reached: [MeshPeerID] = []
        for link in links where carriers.updateValue(link, forKey: link) == nil {
            reached.append(link)
        }
        var next = 0
        while next < reached.count {
            let peer = reached[next]
            next += 1
            for receiver in receivers(peer) where carriers[receiver] == nil {
                carriers[receiver] = carriers[peer]
                reached.append(receiver)
            }
        }
    }

    /// The linked peer from which a route leads to a peer, itself if it is linked; `nil` if there is no route.
    public subscript(peer: MeshPeerID) -> MeshPeerID? { carriers[peer] }
}
