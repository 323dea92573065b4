/// Every limit of this package, with its reason; all are maxima.
public enum MeshLimits {
    /// UTF-8 bytes of a group's name: 63, as in Couchbase Lite.
    public static let groupByteCount = 63
    /// Bytes of an address: 255, which fits a host name of the largest size (RFC 1035 §2.3.4) in a length of one byte.
    public static let addressByteCount = 255
    /// Addresses kept and sent for one peer: 4, IPv4 and IPv6 on two interfaces.
    public static let addressCount = 4
    /// Neighbours in an announcement: 26, which are all links that a relay can have, and one to spare.
    public static let neighbourCount = 26
    /// Bytes of a TXT record: 1,300, which fit in one Ethernet packet (RFC 6763 §6.2).
    public static let announcementByteCount = 1_300
    /// Bytes of a gossip message: 8 KiB, which any link sends quickly.
    public static let messageByteCount = 8 << 10
    /// Records of a gossip message: 64, which fit into it if they have one address each.
    public static let recordCount = 64
    /// Records that a heartbeat repeats: 16, so that a mesh of 100 peers is repeated in a minute.
    public static let repeatedRecordCount = 16
    /// Messages that may arrive at once from one peer after a delay: 16, half a minute's worth.
    public static let messageBurstCount = 16
    /// Peers that are remembered: 1,000, so that strangers cannot exhaust memory.
    public static let peerCount = 1_000
    /// Peers remembered because a single peer reported them: 250, so that a peer that invents others cannot use all the
    /// space.
    public static let reportedPeerCount = 250
    /// Advertisements that are remembered: 2,000, two for each peer.
    public static let advertisementCount = 2_000
    /// Links, except while one replaces another: 8, enough for a mesh of diameter 5 with 50 peers.
    public static let linkCount = 8
    /// Links of a peer that carries everything to partial ones, beyond `linkCount`: 16, so that two serve 32 of them.
    public static let leafCount = 16
    /// Links beyond `linkCount` while one replaces another, and to unite parts of a mesh: 1.
    public static let extraLinkCount = 1
    /// Links kept free for those on which the plan depends: 2, the two neighbours on the ring.
    public static let reservedLinkCount = 2
    /// Outgoing calls that are not answered yet: 64, so that calls to invented peers do not prevent calls to real ones.
    public static let callCount = 64
    /// Outgoing calls to one host: 8, so that invented peers on one host do not prevent calls to others.
    public static let callsPerHostCount = 8
    /// Addresses that the application lists as seeds: 64, as many as a gossip message has records.
    public static let seedCount = 64
}

/// The times by which a mesh decides.
///
/// Not limits: shorter times repair faster and cost more messages.
enum MeshTiming {
    /// Between two plans: many changes at once cost one plan.
    static let plan = Duration.milliseconds(500)
    /// The same while none of those that were called last has answered.
    static let planUnanswered = Duration.milliseconds(100)
    /// Between two announcements on the network.
    static let announcement = Duration.seconds(1)
    /// Between two gossip messages to one peer, if there is news.
    static let gossip = Duration.seconds(2)
    /// Between two gossip messages to one peer, if there is none.
    static let heartbeat = Duration.seconds(10)
    /// Two missed heartbeats: the peer counts as failed.
    static let silence = Duration.seconds(20)
    /// A call that is not answered has failed.
    static let call = Duration.seconds(10)
    /// A call that is not answered no longer keeps the plan from calling another peer.
    static let patience = Duration.seconds(2)
    /// In a small part of the mesh, calls that are not answered no longer keep a peer from calling more at once.
    static let haste = Duration.milliseconds(500)
    /// If both peers of a pair want the link, the second one waits for the first one's call.
    static let secondCaller = Duration.seconds(3)
    /// A link is not closed earlier without need, so that a plan that changes again costs nothing.
    static let shortestLink = Duration.seconds(10)
    /// A peer outside the own part of the mesh is called then.
    static let repair = Duration.seconds(3)
    /// Each member of a part waits so much longer than the one before it.
    static let repairStep = Duration.seconds(1)
    /// A peer that no other peer lists, and that does not answer, has left.
    static let doubt = Duration.seconds(5)
    /// A full peer is not called again earlier.
    static let refusal = Duration.seconds(30)
    /// A full peer is called again by a newcomer then.
    static let newcomerRefusal = Duration.seconds(2)
    /// A peer that violates the protocol is not called or accepted earlier.
    static let offence = Duration.seconds(60)
    /// The longest first wait after a failed call; it doubles with each further failure.
    static let firstBackOff = Duration.seconds(1)
    /// The longest wait after many failed calls.
    static let longestBackOff = Duration.seconds(60)
    /// A peer that was not heard of for so long is forgotten.
    static let memory = Duration.seconds(600)
    /// One that has left is remembered for so long, until old messages about it have passed.
    static let farewell = Duration.seconds(60)
}
