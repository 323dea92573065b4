/// Decides to which peers a peer should be linked.
///
/// A plan is a pure function of IDs. Peers do not negotiate: each computes its own plan from the peers that it knows,
/// and can compute the plan of any other. A link exists if it is in the plan of either end.
///
/// An implementation promises, and ``LinkPlannerContract`` checks:
/// - The plan depends on the set of the others, not on their order.
/// - It contains only others, each once, at most `MeshLimits.linkCount` of them if the breadth is 1.
/// - The links of all plans together connect all peers.
/// - A wider plan contains the narrower one.
/// - `link(from:to:among:)` returns the same as the plan.
///
/// Called on the thread of the mesh for every change, also for plans of other peers: it should take less than 0.2 ms
/// for 200 peers.
public protocol LinkPlanner: Sendable {
    /// Returns the links that `peer` wants, the most important first.
    ///
    /// - `peer` is any peer, not only this one.
    /// - `others` are the peers that it can be linked to, without itself.
    /// - `breadth` is 1 for the plan. A peer whose calls are not answered widens its plan with larger numbers.
    func links(
        of peer: MeshPeerID,
        among others: [MeshPeerID],
        breadth: Int
    ) -> [PlannedLink]

    /// Returns the link to `other` in the plan of `peer` of breadth 1; `nil` if the plan does not contain it.
    ///
    /// A planner has to implement it only if there is a faster way than the whole plan. `others` contains `other`.
    func link(
        from peer: MeshPeerID,
        to other: MeshPeerID,
        among others: [MeshPeerID]
    ) -> PlannedLink?
}

extension LinkPlanner {
    /// Looks for the link in the whole plan.
    public func link(
        from peer: MeshPeerID,
        to other: MeshPeerID,
        among others: [MeshPeerID]
    ) -> PlannedLink? {
        links(of: peer, among: others, breadth: 1).first { $0.peer == other }
    }
}

/// A link that a peer should have.
public struct PlannedLink: Hashable, Sendable {
    /// The peer at the other end.
    public let peer: MeshPeerID
    /// Whether the mesh may split without the link; such a link is never closed to make room for others.
    public let isEssential: Bool

    /// Describes a link.
    public init(_ peer: MeshPeerID, isEssential: Bool = false) {
        self.peer = peer
        self.isEssential = isEssential
    }
}

/// Links each peer to its successor on the ring and to the peers with which it has the lowest pair hashes.
///
/// The ring makes the mesh connected with one link per peer, but cuts into pieces when two peers leave, and is long.
/// The hash links go to random places: with three of them, 50 peers are at most five links apart, and stay connected
/// in nine of ten cases when 15 leave at once. A join or departure changes about ten links, at any size: only the ring
/// neighbours and the peers for which the newcomer is among the lowest are affected.
///
/// Decision 0070 compares it with other plans.
public struct RingPlanner: LinkPlanner {
    /// Links by pair hash in addition to the one on the ring.
    public let hashLinkCount: Int

    /// Creates a planner; more hash links survive more departures, and cost more traffic.
    public init(hashLinkCount: Int = 3) {
        self.hashLinkCount = min(max(hashLinkCount, 0), MeshLimits.linkCount - 1)
    }

    /// Returns the successor, and the peers with the lowest pair hashes in their order.
    public func links(
        of peer: MeshPeerID,
        among others: [MeshPeerID],
        breadth: Int
    ) -> [PlannedLink] {
        links(of: peer, among: others.map { HashedPeer($0, with: peer) }, breadth: breadth)
    }

    /// The same, if the pair hashes are known already.
    func links(of peer: MeshPeerID, among others: [HashedPeer], breadth: Int) -> [PlannedLink] {
        guard var successor = others.first?.id else { return [] }
        for other in others where peer.isFollowed(by: other.id, before: successor) {
            successor = other.id
        }
        let count = hashLinkCount * max(breadth, 1)
        // An insertion into a short list: sorting all would cost more than hashing them.
        var lowest: [HashedPeer] = []
        for other in others where other.id != successor {
            if lowest.count == count, let last = lowest.last, last.hash < other.hash { continue }
            var place = lowest.count
            while place > 0, other < lowest[place - 1] { place -= 1 }
            lowest.insert(other, at: place)
            if lowest.count > count { lowest.removeLast() }
        }
        return [PlannedLink(successor, isEssential: true)] + lowest.map { PlannedLink($0.id) }
    }

    /// Hashes only until the answer is certain, and nothing for the question about the successor.
    public func link(
        from peer: MeshPeerID,
        to other: MeshPeerID,
        among others: [MeshPeerID]
    ) -> PlannedLink? {
        guard var successor = others.first else { return nil }
        for third in others where peer.isFollowed(by: third, before: successor) {
            successor = third
        }
        if other == successor { return PlannedLink(other, isEssential: true) }
        let own = HashedPeer(other, with: peer)
        var lowerCount = 0
        for third in others where third != successor && third != other {
            guard lowerCount < hashLinkCount else { return nil }
            if HashedPeer(third, with: peer) < own { lowerCount += 1 }
        }
        return lowerCount < hashLinkCount ? PlannedLink(other) : nil
    }
}

/// A peer, and the hash of its pair with the one for which a plan is made.
struct HashedPeer: Comparable {
    let id: MeshPeerID
    let hash: UInt64

    init(_ id: MeshPeerID, hash: UInt64) {
        self.id = id
        self.hash = hash
    }

    init(_ id: MeshPeerID, with peer: MeshPeerID) {
        self.init(id, hash: peer.pairHash(with: id))
    }

    /// The lower hash first; equal hashes are in the order of the IDs.
    static func < (left: HashedPeer, right: HashedPeer) -> Bool {
        left.hash == right.hash ? left.id < right.id : left.hash < right.hash
    }
}

extension MeshPeerID {
    /// Whether, clockwise from this peer, `other` comes before `third`: first the higher IDs, then the lower ones.
    fileprivate func isFollowed(by other: MeshPeerID, before third: MeshPeerID) -> Bool {
        let (isBehind, isThirdBehind) = (other < self, third < self)
        return isBehind == isThirdBehind ? other < third : isThirdBehind
    }
}
