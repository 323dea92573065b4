/// A link to one peer, from the call to the end of the connection.
///
/// The peer that wants a link calls. Once the handshake has proved the other's ID, replication starts (`syncing`), and
/// when it has been idle once, the link can replace another (`settled`): until then, the old one stays. An accepted
/// call begins as `syncing`. What a link's end means depends on who ended it: a peer that does not answer is called
/// again after a while, one that is full after a longer while, and one that agreed to part is not called at all.
///
/// An ended link is forgotten, and late events about its connection are ignored.
///
/// Source: `multipeer.md` §4.4. Drawn in `Docs/states/mesh-link.md`.
enum LinkState: Equatable {
    case calling
    case syncing
    case settled
    case ended

    enum Event {
        /// The peer accepted the call.
        case opened
        /// Replication is idle.
        case idle
        /// The call, or the connection, failed.
        case failed
        /// The peer did not answer the call in time.
        case overdue
        /// The peer has not sent a heartbeat.
        case silent
        /// The peer has no room.
        case refused
        /// The peer parted: neither end needs the link, or there is another one.
        case parted
        /// The link is closed on this side.
        case dismissed
    }

    enum Effect {
        /// Close the connection.
        case disconnect
        /// Call this place again later, later each time.
        case backOff
        /// Do not call the peer for a while.
        case pause
        /// Earlier failures no longer count.
        case forgive
        /// The neighbours of this peer have changed.
        case announce
    }

    /// The complete behaviour, one line per transition.
    mutating func handle(_ event: Event) -> [Effect] {
        let effects: [Effect]
        switch (self, event) {
        case (.calling, .opened): (self, effects) = (.syncing, [.announce])
        case (.calling, .failed): (self, effects) = (.ended, [.backOff])
        case (.calling, .overdue): (self, effects) = (.ended, [.disconnect, .backOff])
        case (.calling, .refused): (self, effects) = (.ended, [.pause])
        case (.calling, .parted): (self, effects) = (.ended, [])
        case (.calling, .dismissed): (self, effects) = (.ended, [.disconnect])
        case (.syncing, .idle): (self, effects) = (.settled, [.forgive])
        case (.syncing, .failed): (self, effects) = (.ended, [.backOff, .announce])
        case (.syncing, .silent): (self, effects) = (.ended, [.disconnect, .backOff, .announce])
        case (.syncing, .refused): (self, effects) = (.ended, [.pause, .announce])
        case (.syncing, .parted): (self, effects) = (.ended, [.announce])
        case (.syncing, .dismissed): (self, effects) = (.ended, [.disconnect, .announce])
        case (.settled, .failed): (self, effects) = (.ended, [.backOff, .announce])
        case (.settled, .silent): (self, effects) = (.ended, [.disconnect, .backOff, .announce])
        case (.settled, .refused): (self, effects) = (.ended, [.pause, .announce])
        case (.settled, .parted): (self, effects) = (.ended, [.announce])
        case (.settled, .dismissed): (self, effects) = (.ended, [.disconnect, .announce])
        default: effects = []
        }
        return effects
    }

    /// Whether documents can travel over it.
    var isOpen: Bool { self == .syncing || self == .settled }
}
