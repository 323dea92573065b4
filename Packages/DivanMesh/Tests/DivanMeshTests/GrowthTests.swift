import DivanMesh
import DivanTestKit
import Testing

/// What a mesh costs, and how that grows with its size.
@Suite struct GrowthTests {
    private static let counts = SimulatedMesh.sizes([20], long: [50, 100, 200])

    /// Rounds until 50 documents of each peer are everywhere.
    @Test(arguments: GrowthTests.counts, SimulatedMesh.seeds(1, oneOf: 10))
    func `links, rounds and gossip per peer hardly grow with the mesh`(
        count: Int,
        seed: UInt64
    ) throws {
        let mesh = SimulatedMesh(seed: seed)
        for peer in try mesh.join(count) { mesh.save(50, at: peer) }
        let time = try #require(mesh.run(atMost: .seconds(20)) { mesh.isEqual() })
        let rounds = mesh.rounds.count
        mesh.run(for: .seconds(SimulatedMesh.size(120, short: 60)) - time)
        let (graph, bytes) = (mesh.graph, mesh.messageByteCount)
        mesh.run(for: .seconds(20))
        let gossip = (mesh.messageByteCount - bytes) / 20 / count
        #expect(rounds <= (count > 50 ? 6 : 5), "seed \(seed)")
        #expect(graph.largestDegree <= MeshLimits.linkCount, "seed \(seed)")
        #expect(graph.meanDegree <= 6.5, "seed \(seed)")
        // A heartbeat repeats 16 records on each of six links: less than 2 KiB in ten seconds.
        #expect(gossip <= 1_300, "seed \(seed): \(gossip) bytes a second and peer")
        guard SimulatedMesh.isLong else { return }
        print(
            "\(count) peers: equal after \(time) and \(rounds) rounds,",
            "\(graph.linkCount) links, at most \(graph.largestDegree) of one peer,",
            "diameter \(graph.diameter ?? -1), \(mesh.openedCount) links opened,",
            "\(bytes / count) gossip bytes a peer in 2 minutes, then \(gossip) a second,",
            "planner \(Self.plannerTime(count)), status of a peer \(Self.statusTime(mesh))"
        )
    }

    /// The mean time to read the status of one peer, which every change of a replication needs.
    private static func statusTime(_ mesh: SimulatedMesh) -> Duration {
        let (core, ids) = (mesh.peers[0].core, mesh.peers.dropFirst().map(\.id))
        let clock = ContinuousClock()
        let time = clock.measure {
            for _ in 0..<10 { for id in ids { _ = core.peer(id) } }
        }
        return time / (10 * ids.count)
    }

    /// The mean time of a plan.
    private static func plannerTime(_ count: Int) -> Duration {
        let peers = MeshPeerID.random(count, seed: 1)
        let clock = ContinuousClock()
        let time = clock.measure {
            for peer in peers {
                _ = RingPlanner().links(of: peer, among: peers.filter { $0 != peer }, breadth: 1)
            }
        }
        return time / count
    }
}
