/// Whether a peer is believed to run.
///
/// A peer is `rumoured` while only other peers speak of it. It is `online` once it is seen: advertised on the network,
/// linked, or listed by a peer that is. One that disappears from all lists is in `doubt`: its neighbours have dropped
/// it, or the mesh is cut in two. Only a call tells the difference. If the peer does not answer it, it is `offline`,
/// which the caller tells the others.
///
/// Only the changes between online and offline are visible to the application; doubt is not.
///
/// Source: `multipeer.md` §4.4. Drawn in `Docs/states/mesh-peer.md`.
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
        /// A peer reports that it has left, or said goodbye itself.
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
