/// Finds peers on the network and lets them find us.
///
/// May be called from any thread. Events come one after another, on a thread of the implementation,
/// and none begins after `DiscoveryActivity.stop` has returned.
/// `PeerDiscoveryContract` checks an implementation.
///
/// Source: `tls-and-auth.md` §7: our service type differs from the official one.
public protocol PeerDiscovery: Sendable {
    /// Announces a peer until the activity is stopped or released.
    ///
    /// - Throws: `DiscoveryError` if it cannot start; later failures are events.
    func advertise(
        _ advertisement: PeerAdvertisement,
        onEvent: @escaping @Sendable (AdvertisementEvent) -> Void
    ) throws(DiscoveryError) -> any DiscoveryActivity

    /// Reports peers as they come and go, until the activity is stopped or released.
    ///
    /// Our own advertisement is included, as it is for everyone else.
    ///
    /// - Throws: `DiscoveryError` if it cannot start; later failures are events.
    func browse(
        onEvent: @escaping @Sendable (BrowseEvent) -> Void
    ) throws(DiscoveryError) -> any DiscoveryActivity
}

/// Something that continues until it is stopped or released.
public protocol DiscoveryActivity: AnyObject, Sendable {
    /// Ends it; a second call does nothing. May be called from an event.
    func stop()
}

/// What happens to an advertisement.
public enum AdvertisementEvent: Sendable, Equatable {
    /// Others see the peer under this name, which differs from the requested one if that was taken.
    case registered(name: String)
    /// Others no longer see the peer.
    case failed(DiscoveryError)
}

/// What browsing finds.
public enum BrowseEvent: Sendable, Equatable {
    /// A peer has come, or its data have changed.
    case found(DiscoveredPeer)
    /// The peer of this name has gone.
    case lost(name: String)
    /// No more will be found.
    case failed(DiscoveryError)
}

extension PeerDiscovery {
    /// The peers that are present, sorted by name, again after each change.
    ///
    /// Iterating starts the search; leaving the loop or cancelling the task ends it.
    public func peers() -> AsyncThrowingStream<[DiscoveredPeer], any Error> {
        // Each element is complete, so only the newest is worth keeping.
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let present = PresentPeers()
            do {
                let activity = try browse { event in
                    switch event {
                    case .found(let peer): continuation.yield(present.insert(peer))
                    case .lost(let name): continuation.yield(present.remove(name))
                    case .failed(let error): continuation.finish(throwing: error)
                    }
                }
                continuation.onTermination = { _ in activity.stop() }
            } catch {
                continuation.finish(throwing: error)
            }
        }
    }
}
