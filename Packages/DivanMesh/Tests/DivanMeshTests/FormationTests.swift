import DivanMesh
import Foundation
import Testing

/// A mesh forms itself, with few links and short ways, and then rests.
@Suite struct FormationTests {
    @Test(
        arguments: SimulatedMesh.sizes([2, 3, 5, 10, 20], long: [50, 100]),
        SimulatedMesh.seeds(1)
    )
    func `peers that start at once form a connected mesh with few links`(
        count: Int,
        seed: UInt64
    ) throws {
        let mesh = SimulatedMesh(seed: seed)
        try mesh.join(count)
        let time = mesh.run(atMost: .seconds(5)) { mesh.graph.isConnected }
        #expect(time.map { $0 <= .seconds(2) } == true, "seed \(seed)")
        mesh.run(for: .seconds(45))
        let graph = mesh.graph
        #expect(graph.largestDegree <= MeshLimits.linkCount, "seed \(seed)")
        #expect(graph.meanDegree <= 6.5, "seed \(seed)")
        #expect(graph.diameter.map { $0 <= (count > 50 ? 6 : 5) } == true, "seed \(seed)")
        #expect(mesh.hasNoDuplicateLinks, "seed \(seed)")
        // Few calls were in vain, and few links were opened that are not there any more.
        #expect(mesh.openedCount <= graph.linkCount * 5 / 4 + 1, "seed \(seed)")
        #expect(mesh.peers.allSatisfy { $0.onlineCount == count - 1 }, "seed \(seed)")
    }

    @Test(arguments: SimulatedMesh.seeds(1))
    func `an idle mesh does not change`(seed: UInt64) throws {
        let mesh = SimulatedMesh(seed: seed)
        try mesh.join(SimulatedMesh.size(50, short: 12))
        // Peers that were refused come back after 30 seconds.
        mesh.run(for: .seconds(150))
        let (graph, opened, messages) = (mesh.graph, mesh.openedCount, mesh.messageCount)
        mesh.run(for: .seconds(120))
        #expect(mesh.graph == graph, "seed \(seed)")
        #expect(mesh.openedCount == opened, "seed \(seed)")
        // Only heartbeats: one in ten seconds, each way.
        #expect(mesh.messageCount - messages <= graph.linkCount * 2 * 13, "seed \(seed)")
    }

    @Test(arguments: [100...300, 300...900], SimulatedMesh.seeds(1))
    func `a mesh forms on a slow network too`(latency: ClosedRange<Int>, seed: UInt64) throws {
        let mesh = SimulatedMesh(seed: seed)
        mesh.conditions.latency = latency
        try mesh.join(SimulatedMesh.size(30, short: 15))
        let time = mesh.run(atMost: .seconds(20)) { mesh.graph.isConnected }
        #expect(time.map { $0 <= .seconds(5) } == true, "seed \(seed)")
        mesh.run(for: .seconds(90))
        #expect(mesh.graph.largestDegree <= MeshLimits.linkCount, "seed \(seed)")
        #expect(mesh.graph.isConnected && mesh.hasNoDuplicateLinks, "seed \(seed)")
    }

    /// Both peers call whenever they may, on a network whose delays differ widely.
    @Test(arguments: SimulatedMesh.seeds(40, oneOf: 1))
    func `two peers that call each other at once keep exactly one link`(seed: UInt64) throws {
        let mesh = SimulatedMesh(seed: seed)
        mesh.conditions.latency = 1...4_000
        try mesh.join(2)
        let time = mesh.run(atMost: .seconds(60)) { mesh.graph.isConnected }
        #expect(time != nil, "seed \(seed)")
        mesh.run(for: .seconds(60))
        #expect(mesh.graph.linkCount == 1 && mesh.hasNoDuplicateLinks, "seed \(seed)")
        #expect(mesh.peers.allSatisfy { $0.core.links.count == 1 }, "seed \(seed)")
    }

    @Test(arguments: SimulatedMesh.seeds(1))
    func `a peer that joins or leaves changes few links`(seed: UInt64) throws {
        let mesh = SimulatedMesh(seed: seed)
        try mesh.join(SimulatedMesh.size(50, short: 20))
        mesh.run(for: .seconds(60))
        let before = mesh.graph
        let newcomer = try mesh.join(1)[0]
        let time = mesh.run(atMost: .seconds(5)) { mesh.graph.isConnected }
        #expect(time.map { $0 <= .seconds(2) } == true, "seed \(seed)")
        mesh.run(for: .seconds(60))
        let with = mesh.graph
        #expect(before.changes(to: with) <= 20, "seed \(seed)")
        #expect(with.largestDegree <= MeshLimits.linkCount, "seed \(seed)")
        #expect(mesh.peers.allSatisfy { $0 === newcomer || $0.isOnline[newcomer.id] == true })

        let leaving = mesh.pick(1)[0]
        mesh.leave(leaving)
        mesh.run(for: .seconds(2))
        #expect(mesh.peers.allSatisfy { $0.isOnline[leaving.id] == false }, "seed \(seed)")
        mesh.run(for: .seconds(60))
        #expect(with.without([leaving.id]).changes(to: mesh.graph) <= 20, "seed \(seed)")
        #expect(mesh.graph.isConnected, "seed \(seed)")
    }

    /// No multicast: all know the address of one peer, and learn of the others from it.
    @Test(arguments: SimulatedMesh.sizes([5, 20], long: [40]), SimulatedMesh.seeds(1))
    func `a mesh forms from one seed address without advertisements`(
        count: Int,
        seed: UInt64
    ) throws {
        let mesh = SimulatedMesh(seed: seed)
        mesh.conditions.hasDiscovery = false
        let first = try mesh.makePeer()
        mesh.start(first)
        try mesh.join(count - 1, seeds: [first.address])
        let time = mesh.run(atMost: .seconds(60)) { mesh.graph.isConnected }
        #expect(time.map { $0 <= .seconds(15) } == true, "seed \(seed)")
        mesh.run(for: .seconds(60))
        #expect(mesh.peers.allSatisfy { $0.core.peers.count == count - 1 }, "seed \(seed)")
        #expect(mesh.graph.largestDegree <= MeshLimits.linkCount, "seed \(seed)")
        #expect(mesh.graph.meanDegree >= 4 || count == 5, "seed \(seed)")
    }

    /// Three of ten pairs never see each other, and a fifth of what is advertised is lost.
    @Test(arguments: SimulatedMesh.seeds(1))
    func `peers that do not see each other are linked through others`(seed: UInt64) throws {
        let mesh = SimulatedMesh(seed: seed)
        mesh.conditions.canSee = { $0.pairHash(with: $1) % 10 >= 3 }
        mesh.conditions.lostAdvertisements = 20
        let count = SimulatedMesh.size(40, short: 20)
        try mesh.join(count)
        let time = mesh.run(atMost: .seconds(30)) { mesh.graph.isConnected }
        #expect(time.map { $0 <= .seconds(10) } == true, "seed \(seed)")
        mesh.run(for: .seconds(60))
        #expect(mesh.peers.allSatisfy { $0.onlineCount == count - 1 }, "seed \(seed)")
        #expect(mesh.graph.isConnected, "seed \(seed)")
    }

    /// Every fourth sees the others, and is seen by no one.
    @Test(arguments: SimulatedMesh.seeds(1))
    func `peers are linked even if only one of them sees the other`(seed: UInt64) throws {
        let mesh = SimulatedMesh(seed: seed)
        mesh.conditions.canSee = { !$1.position.isMultiple(of: 4) || $0 == $1 }
        let count = SimulatedMesh.size(30, short: 15)
        try mesh.join(count)
        let time = mesh.run(atMost: .seconds(30)) { mesh.graph.isConnected }
        #expect(time != nil, "seed \(seed)")
        mesh.run(for: .seconds(60))
        #expect(mesh.graph.isConnected, "seed \(seed)")
        #expect(mesh.peers.allSatisfy { $0.onlineCount == count - 1 }, "seed \(seed)")
    }

    @Test func `peers of two revision schemes form two meshes`() throws {
        let mesh = SimulatedMesh(seed: 1)
        for number in 0..<20 { mesh.start(try mesh.makePeer(scheme: number < 8 ? 3 : 4)) }
        mesh.run(for: .seconds(60))
        let schemes = Dictionary(
            uniqueKeysWithValues: mesh.peers.map { peer in
                (peer.id, peer.core.peers.count { !$0.isCompatible })
            }
        )
        #expect(Set(schemes.values) == [8, 12])
        for peer in mesh.peers {
            #expect(peer.neighbours.allSatisfy { schemes[$0] == schemes[peer.id] })
            #expect(peer.core.peers.count(where: \.isMember) == 19 - (schemes[peer.id] ?? 0))
        }
    }
}

extension SimulatedMesh {
    /// Seeds of the long run, which also prints figures; `nil` in the usual, short one.
    private static let longSeedCount = ProcessInfo.processInfo.environment["DIVAN_MESH_SEEDS"]
        .flatMap { UInt64($0) }

    static let isLong = longSeedCount != nil

    /// Seeds of a test: so many, or in the long run one of so many of `DIVAN_MESH_SEEDS`.
    static func seeds(_ count: UInt64, oneOf share: UInt64 = 20) -> Range<UInt64> {
        0..<max(count, (longSeedCount ?? 0) / share)
    }

    /// Peers, or seconds: as many as required, or fewer in the usual run.
    static func size(_ required: Int, short: Int) -> Int { isLong ? required : short }

    static func sizes(_ usual: [Int], long: [Int]) -> [Int] { isLong ? usual + long : usual }

    /// Whether no peer has two links to another.
    var hasNoDuplicateLinks: Bool {
        peers.allSatisfy { peer in
            Set(peer.openLinks.map(\.peer)).count == peer.openLinks.count
        }
    }
}

extension SimulatedPeer {
    /// Peers that the application was told are online.
    var onlineCount: Int { isOnline.values.count { $0 } }
}
