/// Combines what DNS-SD reports place by place into peers.
///
/// One peer appears once for each interface and IP version. It is found with the first and lost
/// with the last; in between each change is reported. A plain value without Avahi, so that every
/// order of events can be tested.
struct PeerTable {
    /// Where an instance was seen.
    struct Place: Hashable, Comparable {
        let interface: Int32
        let version: Int32

        static func < (a: Place, b: Place) -> Bool {
            (a.interface, a.version) < (b.interface, b.version)
        }
    }

    /// The result of resolving an instance at one place.
    struct ResolvedInstance: Equatable {
        var host: String
        var address: String
        var port: UInt16
        var record: TextRecord
    }

    /// By the bytes of the instance names, as DNS-SD distinguishes them.
    private var instances: [[UInt8]: [Place: ResolvedInstance]] = [:]
    /// Instances for which there was no room, the longest wait first.
    private var waiting: [(name: String, place: Place, resolved: ResolvedInstance)] = []

    /// Records a resolved instance, which waits if there is no room; returns what it changes, if anything.
    mutating func insert(
        _ resolved: ResolvedInstance,
        of name: String,
        at place: Place
    ) -> BrowseEvent? {
        guard hasRoom(for: name, at: place) else {
            forgetWaiting(name, at: place)
            if waiting.count < DiscoveryLimits.waitingCount {
                waiting.append((name, place, resolved))
            }
            return nil
        }
        let before = peer(name)
        let key = Array(name.utf8)
        var places = instances[key] ?? [:]
        places[place] = resolved
        instances[key] = places
        guard let after = peer(name), after != before else { return nil }
        return .found(after)
    }

    private func hasRoom(for name: String, at place: Place) -> Bool {
        guard let places = instances[Array(name.utf8)] else {
            return instances.count < DiscoveryLimits.peerCount
        }
        return places[place] != nil || places.count < DiscoveryLimits.placeCount
    }

    private mutating func forgetWaiting(_ name: String, at place: Place) {
        waiting.removeAll { $0.place == place && $0.name.utf8.elementsEqual(name.utf8) }
    }

    /// Records a waiting instance for which there is room now; returns what it changes.
    ///
    /// Call it again until it returns nothing.
    mutating func admit() -> BrowseEvent? {
        while let index = waiting.firstIndex(where: { hasRoom(for: $0.name, at: $0.place) }) {
            let (name, place, resolved) = waiting.remove(at: index)
            if let event = insert(resolved, of: name, at: place) { return event }
        }
        return nil
    }

    /// Records that the instance is no longer seen at a place; returns what that changes.
    mutating func remove(_ name: String, at place: Place) -> BrowseEvent? {
        forgetWaiting(name, at: place)
        let key = Array(name.utf8)
        guard let before = peer(name), instances[key]?.removeValue(forKey: place) != nil else {
            return nil
        }
        guard let after = peer(name) else {
            instances[key] = nil
            return .lost(name: name)
        }
        return after == before ? nil : .found(after)
    }

    /// The peer as all places together show it; where they differ, the lowest place counts.
    private func peer(_ name: String) -> DiscoveredPeer? {
        guard let places = instances[Array(name.utf8)],
            let first = places.min(by: { $0.key < $1.key })?.value
        else { return nil }
        return DiscoveredPeer(
            name: name,
            host: first.host,
            addresses: Set(places.values.map(\.address)).sorted(),
            port: first.port,
            record: first.record
        )
    }
}
