/// When gossip is sent on one link and what of it is news, and how much may arrive.
///
/// **Sending.** News is sent at once, but not more often than every two seconds; without news, a heartbeat follows
/// after ten. `Membership` numbers its changes, and a link remembers up to which number it has reported, as a peer of
/// a changes feed does. A heartbeat also repeats a few records in turn: what was lost, or dropped for lack of room,
/// arrives in the end.
///
/// **Receiving.** An honest peer sends a message every two seconds at most, but the network may deliver those of half
/// a minute at once. Each message moves `nextArrival` by two seconds (the generic cell rate algorithm); a peer that is
/// further ahead than `MeshLimits.messageBurstCount` messages floods.
struct GossipSchedule: Sendable {
    /// The state that a message reports.
    struct PeerReport: Equatable, Sendable {
        var counter: MeshCounter
        var interest: GossipMessage.Interest
        var change: UInt64
    }

    /// The last report that was sent; `nil` before the first message.
    private(set) var lastReport: PeerReport?
    /// The number of the next message.
    private(set) var number = MeshCounter(rawValue: 0)
    /// After which peer the next heartbeat continues to repeat records.
    var repeatedThrough: MeshPeerID?
    /// When something was heard last.
    private(set) var heardAt: Duration
    private var sentAt: Duration = .zero
    private var nextArrival: Duration = .zero
    private var receivedNumber: MeshCounter?

    init(openedAt now: Duration) {
        heardAt = now
    }

    /// When the next message is due.
    func dueAt(_ news: PeerReport) -> Duration {
        guard let lastReport else { return .zero }
        return sentAt + (news == lastReport ? MeshTiming.heartbeat : MeshTiming.gossip)
    }

    /// Whether a message without news is due.
    func isHeartbeatDue(at now: Duration) -> Bool { now >= sentAt + MeshTiming.heartbeat }

    /// Records that a message was sent.
    mutating func sent(_ news: PeerReport, at now: Duration) {
        lastReport = news
        sentAt = now
        number = number.next
    }

    /// Records that the changes up to a number do not concern the peer.
    mutating func skip(through change: UInt64) {
        lastReport?.change = change
    }

    /// Records that a message arrived; returns false if there are too many.
    mutating func arrives(at now: Duration) -> Bool {
        heardAt = now
        nextArrival = max(nextArrival, now) + MeshTiming.gossip
        return nextArrival <= now + MeshTiming.gossip * MeshLimits.messageBurstCount
    }

    /// Whether a message is newer than all earlier ones; an overtaken message has no news.
    mutating func isNewest(_ number: MeshCounter) -> Bool {
        if let receivedNumber, !number.isNewer(than: receivedNumber) { return false }
        receivedNumber = number
        return true
    }
}
