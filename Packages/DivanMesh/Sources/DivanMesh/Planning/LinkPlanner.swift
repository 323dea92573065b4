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
}

/// A link that a peer wants.
public struct PlannedLink: Hashable, Sendable {
    /// The peer at the other end.
    public let peer: MeshPeerID
    /// Whether the mesh may fall apart without the link; such a link is never closed for lack of room.
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
        guard let successor = others.min(by: { peer.isFollowed(by: $0, before: $1) }) else {
            return []
        }
        let rest = others.lazy.filter { $0 != successor }.map { ($0, peer.pairHash(with: $0)) }
        let count = hashLinkCount * max(breadth, 1)
        return [PlannedLink(successor, isEssential: true)]
            + Self.lowest(count, of: rest).map { PlannedLink($0) }
    }

    /// The peers with the lowest hashes; equal hashes are in the order of the IDs.
    private static func lowest(
        _ count: Int,
        of peers: some Sequence<(MeshPeerID, UInt64)>
    ) -> [MeshPeerID] {
        // An insertion into a short list: sorting all would cost more than hashing them.
        var lowest: [(peer: MeshPeerID, hash: UInt64)] = []
        for (peer, hash) in peers {
            if lowest.count == count, let last = lowest.last, last.hash < hash { continue }
            let place = lowest.firstIndex { (hash, peer) < ($0.hash, $0.peer) } ?? lowest.endIndex
            lowest.insert((peer, hash), at: place)
            if lowest.count > count { lowest.removeLast() }
        }
        return lowest.map(\.peer)
    }
}

extension MeshPeerID {
    /// Whether, clockwise from this peer, `other` comes before `third`: first the higher IDs, then the lower ones.
    fileprivate func isFollowed(by other: MeshPeerID, before third: MeshPeerID) -> Bool {
        let (isBehind, isThirdBehind) = (other < self, third < self)
        return isBehind == isThirdBehind ? other < third : isThirdBehind
    }
}
