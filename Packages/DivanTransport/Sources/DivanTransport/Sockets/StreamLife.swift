/// The life of a TCP connection with TLS on it where wanted: which of its two directions are open.
///
/// Each direction ends by itself. The peer may end its own while ours goes on (`ended`); we end ours
/// when all that is queued is written (`finishing`), and then the peer has a while to end its own
/// (`lingering`). The owner is told of the opening and of the peer's end, and of nothing once it has
/// finished or closed. Closing is possible from everywhere, and final.
///
/// Drawn in `Docs/states/byte-stream.md`.
enum StreamLife: Equatable {
    /// TCP stands; the owner may not write before TLS does.
    case opening
    case open
    /// The peer has ended its direction, or the connection broke.
    case ended(wasOpen: Bool)
    /// Everything is queued; after it our direction ends.
    case finishing
    /// The same, where the peer has ended its direction.
    case finishingLast
    /// Our direction has ended; the peer may end its own until the timer fires.
    case lingering
    case closed

    enum Event {
        case opened
        case tlsStarted
        case peerEnded
        case finishAsked
        /// What was queued is written.
        case written
        case closeAsked
    }

    enum Effect {
        case endSending
        case release
    }

    /// The whole behaviour, a line for each transition.
    mutating func take(_ event: Event) -> [Effect] {
        let effects: [Effect]
        switch (self, event) {
        case (.opening, .opened): (self, effects) = (.open, [])
        case (.opening, .peerEnded): (self, effects) = (.ended(wasOpen: false), [])
        case (.opening, .finishAsked): (self, effects) = (.finishing, [])
        case (.open, .tlsStarted): (self, effects) = (.opening, [])
        case (.open, .peerEnded): (self, effects) = (.ended(wasOpen: true), [])
        case (.open, .finishAsked): (self, effects) = (.finishing, [])
        case (.ended, .tlsStarted): (self, effects) = (.ended(wasOpen: false), [])
        case (.ended, .finishAsked): (self, effects) = (.finishingLast, [])
        case (.finishing, .peerEnded): (self, effects) = (.finishingLast, [])
        case (.finishing, .written): (self, effects) = (.lingering, [.endSending])
        case (.finishingLast, .written): (self, effects) = (.closed, [.release])
        case (.lingering, .peerEnded): (self, effects) = (.closed, [.release])
        case (.closed, .closeAsked): return []
        case (_, .closeAsked): (self, effects) = (.closed, [.release])
        default: effects = []
        }
        return effects
    }

    /// Whether the owner may write.
    var isOpen: Bool { self == .open || self == .ended(wasOpen: true) }

    /// Whether the peer's direction is open.
    var isReading: Bool {
        switch self {
        case .opening, .open, .finishing, .lingering: true
        case .ended, .finishingLast, .closed: false
        }
    }

    /// Whether our direction is open.
    var isWriting: Bool { self != .lingering && self != .closed }

    /// Whether our direction ends with what is queued.
    var isFinishing: Bool { self == .finishing || self == .finishingLast }
}
