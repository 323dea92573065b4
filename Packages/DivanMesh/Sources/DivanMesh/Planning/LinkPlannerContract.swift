/// Tests an implementation of ``LinkPlanner``, with any test framework.
public enum LinkPlannerContract {
    /// Returns a sentence for each violated promise; none if the implementation is correct.
    ///
    /// `meshes` are sets of different IDs. Random ones of 2 to 100 peers are a good choice.
    public static func violations(
        of planner: some LinkPlanner,
        planning meshes: [[MeshPeerID]]
    ) -> [String] {
        var violations: [String] = []
        for (number, peers) in meshes.enumerated() {
            var plans: [(MeshPeerID, [PlannedLink])] = []
            for peer in peers {
                let others = peers.filter { $0 != peer }
                let plan = planner.links(of: peer, among: others, breadth: 1)
                plans.append((peer, plan))
                violations += check(plan, of: peer, among: others, by: planner).map {
                    "Mesh \(number), peer \(peer): \($0)"
                }
            }
            if !isConnected(plans) {
                violations.append("Mesh \(number): the links of all plans must connect all peers.")
            }
        }
        return violations
    }

    private static func check(
        _ plan: [PlannedLink],
        of peer: MeshPeerID,
        among others: [MeshPeerID],
        by planner: some LinkPlanner
    ) -> [String] {
        var violations: [String] = []
        let planned = Set(plan.map(\.peer))
        if planned.count != plan.count { violations.append("A plan must contain a peer once.") }
        if !planned.isSubset(of: others) {
            violations.append("A plan must contain only the peers that were passed.")
        }
        if plan.count > MeshLimits.linkCount {
            violations.append("A plan must have at most \(MeshLimits.linkCount) links.")
        }
        if planner.links(of: peer, among: others.reversed(), breadth: 1) != plan {
            violations.append("A plan must not depend on the order of the peers.")
        }
        let wider = planner.links(of: peer, among: others, breadth: 4)
        if !planned.isSubset(of: wider.map(\.peer)) {
            violations.append("A wider plan must contain the narrower one.")
        }
        if !planner.links(of: peer, among: [], breadth: 4).isEmpty {
            violations.append("A peer alone must have no links.")
        }
        return violations
    }

    /// Merges the ends of each link into one part, until no link is left.
    private static func isConnected(_ plans: [(peer: MeshPeerID, links: [PlannedLink])]) -> Bool {
        var links: [MeshPeerID: Set<MeshPeerID>] = [:]
        for plan in plans {
            for link in plan.links {
                links[plan.peer, default: []].insert(link.peer)
                links[link.peer, default: []].insert(plan.peer)
            }
        }
        guard let first = plans.first?.peer else { return true }
        var reached: Set = [first]
        var frontier = [first]
        while let peer = frontier.popLast() {
            for other in links[peer] ?? [] where reached.insert(other).inserted {
                frontier.append(other)
            }
        }
        return plans.allSatisfy { reached.contains($0.peer) }
    }
}
