public import DivanCrypto

/// The configuration of one peer of a mesh.
public struct MeshConfiguration: Sendable {
    /// The ID of this peer.
    public var peer: MeshPeerID
    /// The revision scheme: 3 for revision trees, 4 for version vectors.
    ///
    /// Peers of different schemes are not linked.
    public var scheme: UInt8
    /// Whether this peer subscribes to a part of the documents, or filters them, and so cannot carry all to others.
    public var isPartial: Bool
    /// The number of the first announcement: the time in seconds since 1970.
    ///
    /// A peer announces itself once a second at most, so after a restart it continues after all its earlier numbers.
    public var firstCounter: UInt32
    /// Addresses to call as long as their peers are not members, at most `MeshLimits.seedCount`.
    ///
    /// With them a mesh forms where multicast does not reach: in containers, over a VPN, across subnets.
    public var seeds: [MeshAddress]
    /// Decides which links the peer should have.
    public var planner: any LinkPlanner
    /// The source of jitter.
    public var random: any RandomSource

    /// Creates a configuration.
    public init(
        peer: MeshPeerID,
        scheme: UInt8,
        isPartial: Bool = false,
        firstCounter: UInt32,
        seeds: [MeshAddress] = [],
        planner: any LinkPlanner = RingPlanner(),
        random: any RandomSource
    ) {
        self.peer = peer
        self.scheme = scheme
        self.isPartial = isPartial
        self.firstCounter = firstCounter
        self.seeds = seeds
        self.planner = planner
        self.random = random
    }
}
