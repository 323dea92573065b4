/// The states of a peer, which exists for one connection only.
///
/// An active peer first compares checkpoints (`starting`), and starts over once if the other side turns out not to know
/// collections. When asked to stop, it saves the checkpoint first (`stopping`) for as long as the deadline allows; a
/// passive peer has nothing to save. From `closing` on, no request is sent or answered, but what has arrived is stored.
///
/// Drawn in `Docs/states/peer-lifecycle.md`.
enum PeerLifecycle: Equatable {
    case connecting
    case starting
    case running
    case stopping(deadline: Duration)
    case closing
    case ended

    /// When a stopping peer no longer waits.
    var stopDeadline: Duration? {
        if case .stopping(let deadline) = self { deadline } else { nil }
    }

    /// Whether the checkpoints have been compared and replication has not ended yet.
    var replicates: Bool { self == .running || stopDeadline != nil }

    enum Event {
        /// The connection is open; the checkpoints must be compared.
        case connectedAsActive
        /// The connection is open; the other side speaks first.
        case connectedAsPassive
        case checkpointsCompared
        case collectionsRefused
        case stopRequested(deadline: Duration)
        case closeRequested
        case disconnected
    }

    /// The complete behaviour, one line per transition.
    ///
    /// - Returns: Whether the event has a meaning in this state; events that are not listed change nothing.
    mutating func handle(_ event: Event) -> Bool {
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
