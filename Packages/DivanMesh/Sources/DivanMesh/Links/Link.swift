/// A link, or a call that may become one.
struct Link: Sendable {
    /// Why it was called.
    enum Purpose: Sendable {
        /// The plan contains it.
        case plan
        /// It unites two parts of the mesh.
        case repair
        /// The application listed the address.
        case seed
        /// The peer called.
        case incoming
    }

    let connection: MeshConnectionID
    /// The peer at the other end; `nil` while a seed has not answered.
    var peer: MeshPeerID?
    /// The place that was called; `nil` for an incoming connection.
    let address: MeshAddress?
    let purpose: Purpose
    private(set) var state: LinkState
    /// When the call began or, for an open link, when it was answered.
    private(set) var startedAt: Duration
    /// What this peer thinks of the link.
    var interest = GossipMessage.Interest.none
    /// What the other peer thinks of it.
    var peerInterest = GossipMessage.Interest.none
    var gossip: GossipSchedule

    /// A call.
    init(
        _ connection: MeshConnectionID,
        calling peer: MeshPeerID?,
        at address: MeshAddress,
        for purpose: Purpose,
        _ now: Duration
    ) {
        self.connection = connection
        self.peer = peer
        self.address = address
        self.purpose = purpose
        state = .calling
        startedAt = now
        gossip = GossipSchedule(openedAt: now)
    }

    /// An accepted call.
    init(_ connection: MeshConnectionID, acceptedFrom peer: MeshPeerID, _ now: Duration) {
        self.connection = connection
        self.peer = peer
        address = nil
        purpose = .incoming
        state = .syncing
        startedAt = now
        gossip = GossipSchedule(openedAt: now)
    }

    /// Passes an event to the state; returns what follows from it.
    mutating func handle(_ event: LinkState.Event, at now: Duration) -> [LinkState.Effect] {
        if state == .calling, event == .opened {
            startedAt = now
            gossip = GossipSchedule(openedAt: now)
        }
        return state.handle(event)
    }

    /// When the link, or the call, is given up unless something is heard.
    var deadline: Duration {
        state.isOpen ? gossip.heardAt + MeshTiming.silence : startedAt + MeshTiming.call
    }

    /// Whether the plan of either end depends on it.
    var isEssential: Bool { interest == .essential || peerInterest == .essential }

    /// Whether either end needs it.
    var isNeeded: Bool { interest != .none || peerInterest != .none }
}
