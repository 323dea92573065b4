import DivanMesh
import DivanTestKit
import Testing

/// The promises of a planner, and the contract that finds broken ones.
@Suite struct LinkPlannerTests {
    private static func meshes(_ counts: [Int], seed: UInt64) -> [[MeshPeerID]] {
        counts.map { MeshPeerID.random($0, seed: seed &+ UInt64($0)) }
    }

    @Test(arguments: [0, 1, 3, 7, 100])
    func `the ring planner meets the contract`(hashLinkCount: Int) {
        let planner = RingPlanner(hashLinkCount: hashLinkCount)
        for seed in UInt64(0)..<4 {
            let meshes = Self.meshes([1, 2, 3, 4, 5, 9, 20, 50], seed: seed)
            let violations = LinkPlannerContract.violations(of: planner, planning: meshes)
            #expect(violations == [], "seed \(seed)")
        }
    }

    @Test func `peers at the same ring position are connected too`() {
        let peers = (0..<8).compactMap { number in
            var bytes = [UInt8](repeating: 9, count: 32)
            bytes[20] = UInt8(number)
            return MeshPeerID(bytes.span)
        }
        #expect(peers.count == 8)
        let planner = RingPlanner(hashLinkCount: 0)
        #expect(LinkPlannerContract.violations(of: planner, planning: [peers]) == [])
    }

    @Test func `a plan contains the successor and the peers with the lowest pair hashes`() {
        let ids = MeshPeerID.random(30, seed: 7).sorted()
        for (index, peer) in ids.enumerated() {
            let others = ids.filter { $0 != peer }
            let plan = RingPlanner().links(of: peer, among: others.shuffled(), breadth: 1)
            let successor = ids[(index + 1) % ids.count]
            let lowest = others.filter { $0 != successor }.sorted {
                peer.pairHash(with: $0) < peer.pairHash(with: $1)
            }
            #expect(plan.map(\.peer) == [successor] + lowest.prefix(3))
            #expect(plan.map(\.isEssential) == [true, false, false, false])
        }
    }

    /// Each breaks one promise.
    @Test(arguments: BrokenPlanner.Fault.allCases)
    func `the contract detects a broken planner`(fault: BrokenPlanner.Fault) {
        let violations = LinkPlannerContract.violations(
            of: BrokenPlanner(fault: fault),
            planning: Self.meshes([12], seed: 1)
        )
        #expect(violations.contains { $0.hasSuffix(fault.rawValue) }, "\(violations)")
    }
}

/// A planner that breaks a promise, which is the sentence of the contract.
struct BrokenPlanner: LinkPlanner {
    enum Fault: String, CaseIterable {
        case repeats = "A plan must contain a peer once."
        case invents = "A plan must contain only the peers that were passed."
        case exceeds = "A plan must have at most 8 links."
        case depends = "A plan must not depend on the order of the peers."
        case narrows = "A wider plan must contain the narrower one."
        case contradicts = "A single link must be the same as in the plan."
        case dreams = "A peer alone must have no links."
        case separates = "the links of all plans must connect all peers."
    }

    let fault: Fault

    func links(
        of peer: MeshPeerID,
        among others: [MeshPeerID],
        breadth: Int
    ) -> [PlannedLink] {
        let plan = RingPlanner().links(of: peer, among: others, breadth: breadth)
        switch fault {
        case .repeats: return plan + plan
        case .invents: return plan + [PlannedLink(peer)]
        case .exceeds: return others.map { PlannedLink($0) }
        case .depends: return others.prefix(3).map { PlannedLink($0) }
        case .narrows: return breadth > 1 ? [] : plan
        case .contradicts: return plan
        case .dreams: return others.isEmpty ? [PlannedLink(MeshPeerID(1))] : plan
        case .separates: return []
        }
    }

    func link(
        from peer: MeshPeerID,
        to other: MeshPeerID,
        among others: [MeshPeerID]
    ) -> PlannedLink? {
        let planned = links(of: peer, among: others, breadth: 1).first { $0.peer == other }
        return fault == .contradicts ? planned.map { PlannedLink($0.peer) } : planned
    }
}
