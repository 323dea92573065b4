/// The states of a TCP connection, with or without TLS: which of its two directions are open.
///
/// Each direction ends independently. The peer may end its own while ours continues (`ended`); we end ours when
/// everything queued is written (`finishing`), and then the peer has a while to end its own (`lingering`). A peer that
/// has gone takes nothing more, but what it sent before has arrived and is read to its end (`unwritable`): it may
/// contain a CLOSE. The owner is told of the opening and of the peer's end, and of nothing once it has finished or
/// closed. Closing is possible in every state, and final.
///
/// Drawn in `Docs/states/byte-stream.md`.
enum StreamLifecycle: Equatable {
    /// TCP is connected; the owner may not write before TLS is.
    case opening
    case open
    /// The system accepts no more writes, and the peer's end has not been read yet.
    case unwritable(wasOpen: Bool)
    /// The peer has ended its direction, or the connection broke.
    case ended(wasOpen: Bool)
    /// Everything is queued; after it is written our direction ends.
    case finishing
    /// The same, when the peer has ended its direction.
    case finishingLast
    /// Our direction has ended; the peer may end its own until the timer fires.
    case lingering
    case closed

    enum Event {
        case opened
        case tlsStarted
        case peerEnded
        case writingFailed
        case finishAsked
        /// Everything queued is written.
        case written
        case closeAsked
    }

    enum Effect {
        case endSending
        case release
    }

    /// The whole behaviour, one line per transition.
    mutating func handle(_ event: Event) -> [Effect] {
        let effects: [Effect]
        switch (self, event) {
        case (.opening, .opened): (self, effects) = (.open, [])
        case (.opening, .peerEnded): (self, effects) = (.ended(wasOpen: false), [])
        case (.opening, .writingFailed): (self, effects) = (.unwritable(wasOpen: false), [])
        case (.opening, .finishAsked): (self, effects) = (.finishing, [])
        case (.open, .tlsStarted): (self, effects) = (.opening, [])
        case (.open, .peerEnded): (self, effects) = (.ended(wasOpen: true), [])
        case (.open, .writingFailed): (self, effects) = (.unwritable(wasOpen: true), [])
        case (.open, .finishAsked): (self, effects) = (.finishing, [])
        case (.unwritable, .opened): (self, effects) = (.unwritable(wasOpen: true), [])
        case (.unwritable, .tlsStarted): (self, effects) = (.unwritable(wasOpen: false), [])
        case (.unwritable(let wasOpen), .peerEnded):
            (self, effects) = (.ended(wasOpen: wasOpen), [])
        case (.unwritable, .finishAsked): (self, effects) = (.closed, [.release])
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

    /// Whether the owner can write.
    var isOpen: Bool { self == .open || self == .ended(wasOpen: true) }

    /// Whether the owner has not been notified yet that the connection is open.
    var awaitsOpening: Bool { self == .opening || self == .unwritable(wasOpen: false) }

    /// Whether the peer's direction is open.
    var isReading: Bool {
        switch self {
        case .opening, .open, .unwritable, .finishing, .lingering: true
        case .ended, .finishingLast, .closed: false
        }
    }

    /// Whether our direction is open.
    var isWriting: Bool {
        switch self {
        case .opening, .open, .ended, .finishing, .finishingLast: true
        case .unwritable, .lingering, .closed: false
        }
    }

    /// Whether our direction ends once everything queued is written.
    var isFinishing: Bool { self == .finishing || self == .finishingLast }
}
