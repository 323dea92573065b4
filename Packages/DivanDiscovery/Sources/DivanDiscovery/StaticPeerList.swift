/// Peers that are known in advance: for networks without multicast, and for tests.
public struct StaticPeerList: PeerDiscovery {
    private let peers: [DiscoveredPeer]

    /// Creates a list of peers; if a name is repeated, the last peer is used.
    public init(_ peers: [DiscoveredPeer]) {
        self.peers = peers
    }

    /// Does nothing, because the other peers have their own lists.
    ///
    /// Reports `registered` before it returns.
    public func advertise(
        _ advertisement: PeerAdvertisement,
        onEvent: @escaping @Sendable (AdvertisementEvent) -> Void
    ) throws(DiscoveryError) -> any AdvertisementActivity {
        onEvent(.registered(name: advertisement.name))
        return FinishedActivity()
    }

    /// Reports all peers, for any service, before it returns.
    public func browse(
        for service: ServiceType,
        onEvent: @escaping @Sendable (BrowseEvent) -> Void
    ) throws(DiscoveryError) -> any DiscoveryActivity {
        for peer in peers { onEvent(.found(peer)) }
        return FinishedActivity()
    }
}

/// An activity that has nothing left to do.
private final class FinishedActivity: AdvertisementActivity {
    func update(_ record: TextRecord) {}

    func stop() {}
}
