/// Finds peers on the network, and advertises this one.
///
/// Can be used from any thread. Events are delivered one after another, on a thread of the implementation, and none
/// starts after `DiscoveryActivity.stop` returns. `PeerDiscoveryContract` checks an implementation.
///
/// Source: `tls-and-auth.md` §7: our service type differs from the official one.
public protocol PeerDiscovery: Sendable {
    /// Advertises a peer until the activity is stopped or released.
    ///
    /// - Throws: `DiscoveryError` if it cannot start; later failures are events.
    func advertise(
        _ advertisement: PeerAdvertisement,
        onEvent: @escaping @Sendable (AdvertisementEvent) -> Void
    ) throws(DiscoveryError) -> any DiscoveryActivity

    /// Reports found and lost peers until the activity is stopped or released.
    ///
    /// This peer's own advertisement is included.
    ///
    /// - Throws: `DiscoveryError` if it cannot start; later failures are events.
    func browse(
        onEvent: @escaping @Sendable (BrowseEvent) -> Void
    ) throws(DiscoveryError) -> any DiscoveryActivity
}

/// A running advertisement or search.
public protocol DiscoveryActivity: AnyObject, Sendable {
    /// Stops it; a second call does nothing. Can be called from an event.
    func stop()
}

/// An event of an advertisement.
public enum AdvertisementEvent: Sendable, Equatable {
    /// The peer is advertised with this name, which differs from the requested one if that was in use.
    case registered(name: String)
    /// The peer is no longer advertised.
    case failed(DiscoveryError)
}

/// An event of a search.
public enum BrowseEvent: Sendable, Equatable {
    /// A peer was found, or its data have changed.
    case found(DiscoveredPeer)
    /// The peer of this name is no longer available.
    case lost(name: String)
    /// The search has ended.
    case failed(DiscoveryError)
}

extension PeerDiscovery {
    /// Returns the available peers, sorted by name, again after each change.
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
