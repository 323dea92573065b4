import Synchronization

/// Who is there, as the events told.
final class PresentPeers: Sendable {
    private let peers = Mutex<[String: DiscoveredPeer]>([:])

    /// Adds or renews a peer; returns all, sorted by name.
    func insert(_ peer: DiscoveredPeer) -> [DiscoveredPeer] {
        peers.withLock { peers in
            peers[peer.name] = peer
            return peers.values.sorted { $0.name < $1.name }
        }
    }

    /// Removes a peer; returns all that stay, sorted by name.
    func remove(_ name: String) -> [DiscoveredPeer] {
        peers.withLock { peers in
            peers[name] = nil
            return peers.values.sorted { $0.name < $1.name }
        }
    }
}
