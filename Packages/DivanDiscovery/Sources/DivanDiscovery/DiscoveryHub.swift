import Dispatch
import Synchronization

/// A network inside one process: peers that advertise here are found by searches here.
///
/// For tests and demonstrations. Behaves as multicast DNS does: an advertisement whose name is in use gets a number,
/// changes are reported, and a search that is slow sees only the newest state of each peer.
public final class DiscoveryHub: PeerDiscovery {
    private struct Advertised {
        let service: ServiceType
        var peer: DiscoveredPeer
    }

    private struct Search {
        let service: ServiceType
        let waiting = WaitingEvents()
        let onEvent: @Sendable (BrowseEvent) -> Void
    }

    private struct State {
        var advertised: [Int: Advertised] = [:]
        var searches: [Int: Search] = [:]
        var lastNumber = 0

        mutating func nextNumber() -> Int {
            lastNumber += 1
            return lastNumber
        }
    }

    private let state = Mutex(State())
    private let events = DispatchQueue(label: "divan.discovery.hub")
    private static let queueKey = DispatchSpecificKey<ObjectIdentifier>()

    /// Creates a network without peers.
    public init() {
        events.setSpecific(key: Self.queueKey, value: ObjectIdentifier(self))
    }

    /// Advertises a peer, at the address 127.0.0.1.
    ///
    /// - Throws: Nothing; the hub is always available.
    public func advertise(
        _ advertisement: PeerAdvertisement,
        onEvent: @escaping @Sendable (AdvertisementEvent) -> Void
    ) throws(DiscoveryError) -> any AdvertisementActivity {
        let number = state.withLock { state in
            let number = state.nextNumber()
            let peer = DiscoveredPeer(
                name: Self.freeName(advertisement, in: state),
                host: "localhost",
                addresses: ["127.0.0.1"],
                port: advertisement.port,
                record: advertisement.record
            )
            state.advertised[number] = Advertised(service: advertisement.service, peer: peer)
            report(.found(peer), of: advertisement.service, state)
            events.async { [weak self] in
                let isAdvertised = self?.state.withLock { $0.advertised[number] != nil } ?? false
                if isAdvertised { onEvent(.registered(name: peer.name)) }
            }
            return number
        }
        return HubAdvertisement(self, number)
    }

    /// Reports the advertised peers, and each change.
    ///
    /// - Throws: Nothing; the hub is always available.
    public func browse(
        for service: ServiceType,
        onEvent: @escaping @Sendable (BrowseEvent) -> Void
    ) throws(DiscoveryError) -> any DiscoveryActivity {
        let number = state.withLock { state in
            let number = state.nextNumber()
            let search = Search(service: service, onEvent: onEvent)
            state.searches[number] = search
            for advertised in state.advertised.values where advertised.service.isFound(by: service)
            {
                report(.found(advertised.peer), to: search, number)
            }
            return number
        }
        return HubSearch(self, number)
    }

    /// `jukebox`, or `jukebox #2` and so on if that is in use.
    private static func freeName(_ advertisement: PeerAdvertisement, in state: State) -> String {
        let used = state.advertised.values.filter { $0.service.name == advertisement.service.name }
        let names = Set(used.map { Array($0.peer.name.utf8) })
        var (name, number) = (advertisement.name, 1)
        while names.contains(Array(name.utf8)) {
            number += 1
            name = "\(advertisement.name) #\(number)"
        }
        return name
    }

    private func report(_ event: BrowseEvent, of service: ServiceType, _ state: State) {
        for (number, search) in state.searches where service.isFound(by: search.service) {
            report(event, to: search, number)
        }
    }

    /// Called with the lock held, so that events wait in the order of the changes.
    private func report(_ event: BrowseEvent, to search: Search, _ number: Int) {
        guard search.waiting.add(event) else { return }
        events.async { [weak self] in
            for event in search.waiting.take() {
                // One by one, as the handler may stop the search.
                let isRunning = self?.state.withLock { $0.searches[number] != nil } ?? false
                if isRunning { search.onEvent(event) }
            }
        }
    }

    fileprivate func update(_ number: Int, _ record: TextRecord) {
        state.withLock { state in
            guard var advertised = state.advertised[number], advertised.peer.record != record else {
                return
            }
            advertised.peer.record = record
            state.advertised[number] = advertised
            report(.found(advertised.peer), of: advertised.service, state)
        }
    }

    fileprivate func withdraw(_ number: Int) {
        state.withLock { state in
            guard let advertised = state.advertised.removeValue(forKey: number) else { return }
            report(.lost(name: advertised.peer.name), of: advertised.service, state)
        }
        waitForEvent()
    }

    fileprivate func endSearch(_ number: Int) {
        _ = state.withLock { $0.searches.removeValue(forKey: number) }
        waitForEvent()
    }

    /// Waits for an event that is being delivered, unless the caller is that event.
    private func waitForEvent() {
        if DispatchQueue.getSpecific(key: Self.queueKey) != ObjectIdentifier(self) {
            events.sync {}
        }
    }
}

private final class HubAdvertisement: AdvertisementActivity {
    private let hub: DiscoveryHub
    private let number: Int

    init(_ hub: DiscoveryHub, _ number: Int) {
        self.hub = hub
        self.number = number
    }

    deinit { stop() }

    func update(_ record: TextRecord) { hub.update(number, record) }

    func stop() { hub.withdraw(number) }
}

private final class HubSearch: DiscoveryActivity {
    private let hub: DiscoveryHub
    private let number: Int

    init(_ hub: DiscoveryHub, _ number: Int) {
        self.hub = hub
        self.number = number
    }

    deinit { stop() }

    func stop() { hub.endSearch(number) }
}
