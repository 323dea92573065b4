/// The life of a peer, which is that of its connection: each exists for one only.
///
/// An active peer compares checkpoints before anything else (`starting`), and starts over once where
/// the other side turns out to know no collections. Asked to stop, it saves the checkpoint first
/// (`stopping`) for as long as the deadline allows; a passive peer has nothing to save. From
/// `closing` on no request leaves and none is answered, but what has arrived is still stored.
///
/// Drawn in `Docs/states/peer-life.md`.
enum PeerLife: Equatable {
    case connecting
    case starting
    case running
    case stopping(deadline: Duration)
    case closing
    case ended

    /// When a peer that stops waits no longer.
    var stopDeadline: Duration? {
        if case .stopping(let deadline) = self { deadline } else { nil }
    }

    /// Whether the checkpoints are compared and nothing ends it yet.
    var replicates: Bool { self == .running || stopDeadline != nil }

    enum Event {
        /// The connection stands; the checkpoints are to be compared.
        case connectedAsActive
        /// The connection stands; the other side speaks first.
        case connectedAsPassive
        case checkpointsCompared
        case collectionsRefused
        case stopRequested(deadline: Duration)
        case closeRequested
        case disconnected
    }

    /// The whole behaviour, a line for each transition.
    ///
    /// - Returns: Whether the event means anything in this state; what is not listed changes nothing.
    mutating func take(_ event: Event) -> Bool {
        switch (self, event) {
        case (.connecting, .connectedAsActive): self = .starting
        case (.connecting, .connectedAsPassive): self = .running
        case (.starting, .checkpointsCompared): self = .running
        case (.starting, .collectionsRefused): self = .starting
        case (.running, .collectionsRefused): self = .starting
        case (.running, .stopRequested(let deadline)): self = .stopping(deadline: deadline)
        case (.connecting, .closeRequested): self = .closing
        case (.starting, .closeRequested): self = .closing
        case (.running, .closeRequested): self = .closing
        case (.stopping, .closeRequested): self = .closing
        case (.ended, .disconnected): return false
        case (_, .disconnected): self = .ended
        default: return false
        }
        return true
    }
}
