/// The last plan of this peer, and what it had to find out about the plans of others.
///
/// A plan depends on nothing but the candidates and the breadth, and these are the same in most turns: a link has
/// opened, a message has arrived, a wait is over. The pair hashes of this peer are computed once for each peer that it
/// knows (`KnownPeer.pairHash`).
struct PlanCache: Sendable {
    private let peer: MeshPeerID
    private let planner: any LinkPlanner
    /// The planner, if it can use the pair hashes that are known.
    private let ringPlanner: RingPlanner?
    private let isPartial: Bool
    private var candidates: [MeshPeerID] = []
    /// Whether this peer is partial and links to relays, whose plans do not contain it.
    private(set) var isLeaf = false
    private var breadth = 0
    private var links: [PlannedLink] = []
    /// Whether others want a link to this peer, with these candidates.
    private var isWanted: [MeshPeerID: Bool] = [:]

    init(_ configuration: MeshConfiguration) {
        peer = configuration.peer
        isPartial = configuration.isPartial
        planner = configuration.planner
        ringPlanner = configuration.planner as? RingPlanner
    }

    /// The plan of this peer.
    mutating func links(
        among candidates: PlanCandidates,
        breadth: Int,
        _ membership: Membership
    ) -> [PlannedLink] {
        isLeaf = isPartial && candidates.areRelays
        let candidates = candidates.peers
        let isSame = self.candidates == candidates
        if isSame, self.breadth == breadth { return links }
        if !isSame { isWanted = [:] }
        self.candidates = candidates
        self.breadth = breadth
        if let ringPlanner {
            let hashed = candidates.map { id in
                let known = membership.place(of: id).map { membership.peers[$0].pairHash }
                return HashedPeer(id, hash: known ?? peer.pairHash(with: id))
            }
            links = ringPlanner.links(of: peer, among: hashed, breadth: breadth)
        } else {
            links = planner.links(of: peer, among: candidates, breadth: breadth)
        }
        return links
    }

    /// Whether the plan of another peer, made among the candidates of the last plan, contains this one.
    mutating func isWanted(by other: MeshPeerID) -> Bool {
        // The only relay plans among partial peers, too.
        if isLeaf, candidates.count > 1 { return false }
        if let known = isWanted[other] { return known }
        let others = candidates.filter { $0 != other } + [peer]
        let isWanted = planner.link(from: other, to: peer, among: others) != nil
        self.isWanted[other] = isWanted
        return isWanted
    }
}
