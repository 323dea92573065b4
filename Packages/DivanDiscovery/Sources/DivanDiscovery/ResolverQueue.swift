/// An instance at a place, by the bytes that the daemon reported, as DNS-SD distinguishes instances.
struct ServiceInstance: Hashable {
    /// C strings, including their ends.
    let name: [CChar]
    let type: [CChar]
    let domain: [CChar]
    let place: PeerTable.Place
}

/// Which instances are being resolved, and which wait until others have gone.
struct ResolverQueue {
    private var asked: Set<ServiceInstance> = []
    private var waiting: [ServiceInstance] = []

    /// Whether the instance is to be resolved now; otherwise it may wait.
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

    /// Makes an instance wait that the daemon rejected, as it limits the objects of each client.
    mutating func putBack(_ instance: ServiceInstance) {
        guard asked.remove(instance) != nil, waiting.count < DiscoveryLimits.waitingCount else {
            return
        }
        waiting.insert(instance, at: 0)
    }

    /// Forgets an instance; returns the one to be resolved in its place.
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
