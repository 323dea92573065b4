import Synchronization

/// Events of a search that wait for a slow handler: only the newest event of each peer waits.
///
/// Strangers create events as fast as they send. The waiting events are of peers that are present or that
/// were reported to the handler, so they are limited like those (`DiscoveryLimits.peerCount`); a peer that
/// comes and goes meanwhile leaves nothing.
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

    /// Adds an event; returns whether the caller must arrange for the waiting events to be taken.
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

    /// All waiting events, in the order in which they began to wait.
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
