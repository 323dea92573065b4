public import DivanDiscovery
import Foundation
import Synchronization

/// Finds peers inside one process: searches find the peers that are advertised here.
public final class InProcessDiscovery: PeerDiscovery {
    private struct State {
        var advertisements: [Int: (service: ServiceType, peer: DiscoveredPeer)] = [:]
        var searches: [Int: (service: ServiceType, deliver: @Sendable (BrowseEvent) -> Void)] = [:]
        var lastNumber = 0
    }

    private let state = Mutex(State())
    /// Held while events are delivered: none starts after `stop` has returned.
    ///
    /// Recursive, because an event can stop its own search.
    private let delivering = NSRecursiveLock()

    /// Creates a discovery without peers.
    public init() {}

    /// Advertises a peer.
    public func advertise(
        _ advertisement: PeerAdvertisement,
        onEvent: @escaping @Sendable (AdvertisementEvent) -> Void
    ) throws(DiscoveryError) -> any AdvertisementActivity {
        let (number, name) = (number(), advertisement.name)
        let change: @Sendable (TextRecord?) -> Void = { [weak self] record in
            let peer = record.map {
                DiscoveredPeer(name: name, host: "127.0.0.1", port: advertisement.port, record: $0)
            }
            self?.put(peer, number, named: name, advertisement.service)
        }
        change(advertisement.record)
        onEvent(.registered(name: name))
        return Activity(change)
    }

    /// Reports all peers, and each change.
    public func browse(
        for service: ServiceType,
        onEvent: @escaping @Sendable (BrowseEvent) -> Void
    ) throws(DiscoveryError) -> any DiscoveryActivity {
        let number = number()
        delivering.withLock {
            state.withLock { $0.searches[number] = (service, onEvent) }
            let advertisements = state.withLock { Array($0.advertisements.values) }
            for advertisement in advertisements where advertisement.service == service {
                onEvent(.found(advertisement.peer))
            }
        }
        return Activity { [weak self] _ in
            self?.delivering.withLock { self?.state.withLock { $0.searches[number] = nil } }
        }
    }

    private func number() -> Int {
        state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    /// Adds, changes or removes an advertisement.
    private func put(
        _ peer: DiscoveredPeer?,
        _ number: Int,
        named name: String,
        _ type: ServiceType
    ) {
        delivering.withLock {
            state.withLock { $0.advertisements[number] = peer.map { (type, $0) } }
            let searches = state.withLock { Array($0.searches.values) }
            for search in searches where search.service == type {
                search.deliver(peer.map { .found($0) } ?? .lost(name: name))
            }
        }
    }
}

/// An advertisement or a search; ends once, also when it is released.
private final class Activity: AdvertisementActivity {
    private let change: Mutex<(@Sendable (TextRecord?) -> Void)?>

    init(_ change: @escaping @Sendable (TextRecord?) -> Void) { self.change = Mutex(change) }

    deinit { stop() }

    func update(_ record: TextRecord) { change.withLock { $0 }?(record) }

    func stop() {
        let change = change.withLock { change in
            defer { change = nil }
            return change
        }
        change?(nil)
    }
}
