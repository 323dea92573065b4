import Synchronization

/// Events of a search on their way to a handler, which takes its time: of each peer the newest waits.
///
/// Strangers make events as fast as they send. What waits is of peers that are there or that the handler
/// was told of, so it is bounded as those are (`DiscoveryLimits.peerCount`); a peer that comes and goes
/// meanwhile leaves nothing.
final class WaitingEvents: Sendable {
    private struct State {
        /// By the bytes of the peers' names; a failure has none.
        var events: [[UInt8]?: (number: UInt64, event: BrowseEvent)] = [:]
        var told: Set<[UInt8]> = []  // peers that the handler takes for present
        var lastNumber: UInt64 = 0
        var isAsked = false
    }

    private let state = Mutex(State())

    /// How many events wait.
    var count: Int { state.withLock { $0.events.count } }

    /// Notes an event; returns whether somebody has to take what waits.
    func add(_ event: BrowseEvent) -> Bool {
        state.withLock { state in
            state.lastNumber += 1
            switch event {
            case .found(let peer): Self.note(event, Array(peer.name.utf8), &state)
            case .failed: Self.note(event, nil, &state)
            case .lost(let name):
                let key = Array(name.utf8)
                if state.told.contains(key) {
                    Self.note(event, key, &state)
                } else {
                    state.events.removeValue(forKey: key)
                }
            }
            guard !state.isAsked, !state.events.isEmpty else { return false }
            state.isAsked = true
            return true
        }
    }

    /// All that waits, in the order in which it began to.
    func take() -> [BrowseEvent] {
        state.withLock { state in
            let events = state.events.values.sorted { $0.number < $1.number }.map(\.event)
            (state.events, state.isAsked) = ([:], false)
            for event in events {
                switch event {
                case .found(let peer): state.told.insert(Array(peer.name.utf8))
                case .lost(let name): state.told.remove(Array(name.utf8))
                case .failed: break
                }
            }
            return events
        }
    }

    private static func note(_ event: BrowseEvent, _ key: [UInt8]?, _ state: inout State) {
        state.events[key] = (state.events[key]?.number ?? state.lastNumber, event)
    }
}
