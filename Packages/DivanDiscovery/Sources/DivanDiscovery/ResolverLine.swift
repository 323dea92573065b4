/// Names an instance at a place by the bytes that the daemon told, as DNS-SD tells instances apart.
struct ServiceInstance: Hashable {
    /// Texts of C, with their ends.
    let name: [CChar]
    let type: [CChar]
    let domain: [CChar]
    let place: PeerTable.Place
}

/// Which instances are asked after, and which wait until others have gone.
struct ResolverLine {
    private var asked: Set<ServiceInstance> = []
    private var waiting: [ServiceInstance] = []

    /// Whether the instance is to be asked after now; it may wait otherwise.
    mutating func add(_ instance: ServiceInstance) -> Bool {
        guard !asked.contains(instance) else { return false }
        guard asked.count < DiscoveryLimits.peerCount * 2 else {
            let hasRoom = waiting.count < DiscoveryLimits.waitingCount
            if hasRoom, !waiting.contains(instance) { waiting.append(instance) }
            return false
        }
        asked.insert(instance)
        return true
    }

    /// Has an instance wait that the daemon did not take, which keeps so many objects for each client.
    mutating func putBack(_ instance: ServiceInstance) {
        guard asked.remove(instance) != nil, waiting.count < DiscoveryLimits.waitingCount else {
            return
        }
        waiting.insert(instance, at: 0)
    }

    /// Forgets an instance; returns the one that is asked after in its place.
    mutating func remove(_ instance: ServiceInstance) -> ServiceInstance? {
        guard asked.remove(instance) != nil else {
            waiting.removeAll { $0 == instance }
            return nil
        }
        guard let next = waiting.first else { return nil }
        waiting.removeFirst()
        asked.insert(next)
        return next
    }
}
