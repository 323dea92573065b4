import Synchronization

/// Tests an implementation of ``PeerDiscovery``, with any test framework.
public enum PeerDiscoveryContract {
    /// Returns a sentence for each violated rule; none if the implementation is correct.
    ///
    /// The peer `name` must be found within `patience`.
    ///
    /// - Throws: `DiscoveryError` if browsing cannot start.
    public static func violations(
        of discovery: some PeerDiscovery,
        finding name: String,
        patience: Duration
    ) async throws(DiscoveryError) -> [String] {
        var violations: [String] = []
        let first = Watch()
        let activity = try discovery.browse { first.note($0) }
        if await !first.finds(name, within: patience) {
            violations.append("The peer \(name) must be found.")
        }
        activity.stop()
        activity.stop()
        first.close()

        // The second search takes time, during which the first must stay silent.
        let second = Watch()
        let again = try discovery.browse { second.note($0) }
        if await !second.finds(name, within: patience) {
            violations.append("A second search must find the peer \(name) again.")
        }
        again.stop()
        if first.hasLateEvents { violations.append("No event may start after stop() returns.") }
        return violations
    }
}

/// Waits for a peer among the events of one search.
private final class Watch: Sendable {
    private let names = AsyncStream<String>.makeStream()
    private let state = Mutex((isClosed: false, hasLateEvents: false))

    func note(_ event: BrowseEvent) {
        state.withLock { if $0.isClosed { $0.hasLateEvents = true } }
        if case .found(let peer) = event { names.continuation.yield(peer.name) }
    }

    func close() {
        state.withLock { $0.isClosed = true }
    }

    var hasLateEvents: Bool { state.withLock { $0.hasLateEvents } }

    func finds(_ name: String, within patience: Duration) async -> Bool {
        let continuation = names.continuation
        let alarm = Task {
            try? await Task.sleep(for: patience)
            continuation.finish()
        }
        defer { alarm.cancel() }
        return await names.stream.contains(name)
    }
}
