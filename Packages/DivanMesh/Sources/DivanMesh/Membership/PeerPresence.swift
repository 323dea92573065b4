/// Whether a peer is believed to be running.
///
/// A peer is `rumoured` while only other peers have reported it. It is `online` once it is advertised on the network,
/// linked, or listed by an online peer. If it disappears from all lists, it is `doubted`: its neighbours have dropped
/// it, or the mesh has split. Only a call shows which. If the peer does not answer, it is `offline`, and the caller
/// reports this to the others.
///
/// Only the changes between online and offline are visible to the application; doubt is not.
///
/// Drawn in `Docs/states/mesh-peer.md`.
enum PeerPresence: Equatable {
    case rumoured
    case online
    case doubted(since: Duration)
    case offline

    enum Event {
        /// It is advertised on the network.
        case advertised
        /// It is linked to this peer, or listed by a peer of this part of the mesh.
        case reached
        /// It is neither linked nor listed any more.
        case dropped(at: Duration)
        /// It did not answer a call.
        case unanswered(at: Duration)
        /// Its advertisement was withdrawn.
        case withdrawn
        /// A peer reports that it has left, or it said so itself.
        case departed
    }

    enum Effect {
        /// The application is told.
        case report
        /// Other peers are told.
        case gossip
    }

    /// The complete behaviour, one line per transition.
    mutating func handle(_ event: Event) -> [Effect] {
        let effects: [Effect]
        switch (self, event) {
        case (.rumoured, .advertised): (self, effects) = (.online, [.report])
        case (.rumoured, .reached): (self, effects) = (.online, [.report])
        case (.rumoured, .departed): (self, effects) = (.offline, [])
        case (.online, .dropped(let now)): (self, effects) = (.doubted(since: now), [])
        case (.online, .withdrawn): (self, effects) = (.offline, [.report])
        case (.online, .departed): (self, effects) = (.offline, [.report, .gossip])
        case (.doubted, .advertised): (self, effects) = (.online, [])
        case (.doubted, .reached): (self, effects) = (.online, [])
        case (.doubted(let since), .unanswered(let now)) where now >= since + MeshTiming.doubt:
            (self, effects) = (.offline, [.report, .gossip])
        case (.doubted, .withdrawn): (self, effects) = (.offline, [.report])
        case (.doubted, .departed): (self, effects) = (.offline, [.report, .gossip])
        case (.offline, .advertised): (self, effects) = (.online, [.report])
        case (.offline, .reached): (self, effects) = (.online, [.report])
        default: effects = []
        }
        return effects
    }

    /// Whether the application sees the peer.
    var isOnline: Bool {
        switch self {
        case .online, .doubted: true
        case .rumoured, .offline: false
        }
    }
}
