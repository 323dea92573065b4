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
    ) throws(DiscoveryError) -> any AdvertisementActivity

    /// Reports found and lost peers of a service until the activity is stopped or released.
    ///
    /// This peer's own advertisement is included.
    ///
    /// - Throws: `DiscoveryError` if it cannot start; later failures are events.
    func browse(
        for service: ServiceType,
        onEvent: @escaping @Sendable (BrowseEvent) -> Void
    ) throws(DiscoveryError) -> any DiscoveryActivity
}

/// A running advertisement or search.
public protocol DiscoveryActivity: AnyObject, Sendable {
    /// Stops it; a second call does nothing. Can be called from an event.
    func stop()
}

/// A running advertisement.
public protocol AdvertisementActivity: DiscoveryActivity {
    /// Replaces the TXT record; the name and the port stay.
    ///
    /// Does nothing after `stop`. Each change is sent to the whole network: update at most once a second.
    func update(_ record: TextRecord)
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
    /// Reports found and lost listeners until the activity is stopped or released.
    ///
    /// - Throws: `DiscoveryError` if it cannot start; later failures are events.
    public func browse(
        onEvent: @escaping @Sendable (BrowseEvent) -> Void
    ) throws(DiscoveryError) -> any DiscoveryActivity {
        try browse(for: .listener, onEvent: onEvent)
    }

    /// Returns the available peers, sorted by name, again after each change.
    ///
    /// Iterating starts the search; leaving the loop or cancelling the task ends it.
    public func peers(
        of service: ServiceType = .listener
    ) -> AsyncThrowingStream<[DiscoveredPeer], any Error> {
        // Each element is complete, so only the newest is worth keeping.
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let present = PresentPeers()
            do {
                let activity = try browse(for: service) { event in
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
