import DivanMesh
import DivanTestKit
import Testing

/// Peers die, the network is cut, and messages are lost: the mesh repairs itself.
@Suite struct FaultTests {
    private static func mesh(_ count: Int, seed: UInt64) throws -> SimulatedMesh {
        let mesh = SimulatedMesh(seed: seed)
        try mesh.join(count)
        mesh.run(for: .seconds(30))
        return mesh
    }

    @Test(arguments: SimulatedMesh.seeds(1, oneOf: 1))
    func `when 15 of 50 peers are killed, the others form one mesh within five seconds`(
        seed: UInt64
    ) throws {
        let mesh = try Self.mesh(50, seed: seed)
        let dead = mesh.pick(15)
        let ids = Set(dead.map(\.id))
        for peer in dead { mesh.kill(peer) }
        let noticed = mesh.run(atMost: .seconds(30)) {
            mesh.peers.allSatisfy { $0.neighbours.isDisjoint(with: ids) }
        }
        #expect(noticed.map { $0 <= .seconds(25) } == true, "seed \(seed)")
        let repaired = mesh.run(atMost: .seconds(60)) { mesh.graph.isConnected }
        #expect(repaired.map { $0 <= .seconds(5) } == true, "seed \(seed)")
        mesh.run(for: .seconds(60))
        #expect(mesh.graph.largestDegree <= MeshLimits.linkCount, "seed \(seed)")
        #expect(mesh.graph.diameter.map { $0 <= 5 } == true, "seed \(seed)")
        #expect(mesh.peers.allSatisfy { $0.onlineCount == 34 }, "seed \(seed)")
    }

    /// While the network still advertises it.
    @Test(arguments: SimulatedMesh.seeds(1))
    func `a killed peer is offline for its neighbours within 25 seconds, for all within 35`(
        seed: UInt64
    ) throws {
        let count = SimulatedMesh.size(30, short: 15)
        let mesh = try Self.mesh(count, seed: seed)
        let dead = mesh.pick(1)[0]
        let neighbours = dead.neighbours
        mesh.kill(dead)
        mesh.run(for: .seconds(25))
        let near = mesh.peers.filter { neighbours.contains($0.id) }
        #expect(near.allSatisfy { $0.isOnline[dead.id] == false }, "seed \(seed)")
        mesh.run(for: .seconds(10))
        #expect(mesh.peers.allSatisfy { $0.isOnline[dead.id] == false }, "seed \(seed)")
        mesh.run(for: .seconds(120))
        #expect(mesh.peers.allSatisfy { $0.onlineCount == count - 2 }, "seed \(seed)")
    }

    /// Nothing tells the peers that the network is restored.
    @Test(arguments: [2, 3], SimulatedMesh.seeds(1))
    func `parts of a divided network form separate meshes, and merge when it is restored`(
        parts: Int,
        seed: UInt64
    ) throws {
        let count = SimulatedMesh.size(40, short: 18)
        let mesh = try Self.mesh(count, seed: seed)
        mesh.cut(into: parts)
        mesh.run(for: .seconds(60))
        #expect(!mesh.graph.isConnected, "seed \(seed)")
        let components = mesh.graph.components
        #expect(components.count == parts, "seed \(seed)")
        #expect(components.allSatisfy { $0.count >= count / parts }, "seed \(seed)")
        let calls = mesh.callCount
        mesh.run(for: .seconds(20))
        // Strangers are called in vain, but rarely.
        #expect(mesh.callCount - calls <= count * 20 / 2, "seed \(seed)")

        mesh.cut(into: 1)
        let time = mesh.run(atMost: .seconds(60)) { mesh.graph.isConnected }
        #expect(time.map { $0 <= .seconds(5) } == true, "seed \(seed)")
        mesh.run(for: .seconds(45))
        #expect(mesh.graph.largestDegree <= MeshLimits.linkCount, "seed \(seed)")
        #expect(mesh.peers.allSatisfy { $0.onlineCount == count - 1 }, "seed \(seed)")
    }

    /// As after the loss of power in one room: each peer alone, and then all at once again.
    @Test func `peers that were all isolated find each other again`() throws {
        let mesh = try Self.mesh(12, seed: 3)
        mesh.cut(into: 12)
        mesh.run(for: .seconds(90))
        #expect(mesh.graph.linkCount == 0)
        mesh.cut(into: 1)
        let time = mesh.run(atMost: .seconds(90)) { mesh.graph.isConnected }
        #expect(time.map { $0 <= .seconds(10) } == true)
    }

    @Test(arguments: SimulatedMesh.seeds(1))
    func `lost and reordered messages delay a mesh but do not break it`(seed: UInt64) throws {
        let mesh = SimulatedMesh(seed: seed)
        mesh.conditions.lostMessages = 20
        mesh.conditions.lostAdvertisements = 30
        mesh.conditions.disorder = 3_000
        let count = SimulatedMesh.size(40, short: 20)
        try mesh.join(count)
        mesh.run(for: .seconds(SimulatedMesh.size(120, short: 60)))
        #expect(mesh.graph.isConnected, "seed \(seed)")
        #expect(mesh.graph.largestDegree <= MeshLimits.linkCount + MeshLimits.extraLinkCount)
        #expect(mesh.hasNoDuplicateLinks, "seed \(seed)")
        let dead = mesh.pick(count / 5)
        for peer in dead { mesh.kill(peer) }
        mesh.run(for: .seconds(90))
        #expect(mesh.graph.isConnected, "seed \(seed)")
        #expect(mesh.peers.allSatisfy { $0.onlineCount == count - count / 5 - 1 }, "seed \(seed)")
    }

    @Test(arguments: SimulatedMesh.seeds(1))
    func `the same seed gives the same run`(seed: UInt64) throws {
        let runs = try (0..<2).map { _ in
            let mesh = SimulatedMesh(seed: seed)
            mesh.conditions.lostMessages = 10
            try mesh.join(15)
            mesh.run(for: .seconds(10))
            mesh.kill(mesh.pick(1)[0])
            mesh.run(for: .seconds(40))
            return (mesh.graph, mesh.messageCount, mesh.messageByteCount, mesh.callCount)
        }
        #expect(runs[0] == runs[1], "seed \(seed)")
    }
}
