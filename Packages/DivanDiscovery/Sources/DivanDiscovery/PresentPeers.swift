import Synchronization

/// The peers that are present, according to the events.
final class PresentPeers: Sendable {
    private let peers = Mutex<[[UInt8]: DiscoveredPeer]>([:])  // by the bytes of their names

    /// Adds or updates a peer; returns all, sorted by the bytes of their names.
    func insert(_ peer: DiscoveredPeer) -> [DiscoveredPeer] {
        peers.withLock { peers in
            peers[Array(peer.name.utf8)] = peer
            return peers.values.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        }
    }

    /// Removes a peer; returns all remaining ones, sorted by the bytes of their names.
    func remove(_ name: String) -> [DiscoveredPeer] {
        peers.withLock { peers in
            peers[Array(name.utf8)] = nil
            return peers.values.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        }
    }
}
