import DivanMesh
import DivanTestKit
import Testing

@Suite struct DebugTests {
    func settled(_ n: Int, _ seed: UInt64, _ c: SimulatedMesh.Conditions = .init()) throws -> SimulatedMesh {
        let mesh = SimulatedMesh(seed: seed, c)
        try mesh.join(n)
        mesh.run(for: .seconds(90))
        return mesh
    }
    @Test func `join and leave`() throws {
        for seed in UInt64(0)..<5 {
            let mesh = try settled(50, seed)
            let g0 = mesh.graph
            let o0 = mesh.openedCount
            try mesh.join(1)
            let t = mesh.run(atMost: .seconds(30)) { mesh.graph.isConnected }
            mesh.run(for: .seconds(60))
            let g1 = mesh.graph
            print("join", seed, "connected after", t as Any, "changes", g0.changes(to: g1), "opened", mesh.openedCount - o0, g1.largestDegree, g1.meanDegree)
            let gone = mesh.pick(1)[0]
            mesh.leave(gone)
            let o1 = mesh.openedCount
            mesh.run(for: .seconds(60))
            print("leave", seed, "changes", g1.without([gone.id]).changes(to: mesh.graph), "opened", mesh.openedCount - o1, mesh.graph.isConnected)
        }
    }
    @Test func `kill`() throws {
        for seed in UInt64(0)..<10 {
            let mesh = try settled(50, seed)
            let gone = mesh.pick(15)
            for p in gone { mesh.kill(p) }
            let ids = Set(gone.map(\.id))
            let before = mesh.graph.isConnected
            // until all noticed
            let noticed = mesh.run(atMost: .seconds(40)) { mesh.peers.allSatisfy { $0.neighbours.isDisjoint(with: ids) } }
            let t = mesh.run(atMost: .seconds(40)) { mesh.graph.isConnected }
            mesh.run(for: .seconds(10))
            let off = mesh.run(atMost: .seconds(100)) { mesh.peers.allSatisfy { p in ids.allSatisfy { p.isOnline[$0] == false } } }
            mesh.run(for: .seconds(60))
            print("kill", seed, before, "noticed", noticed as Any, "then connected", t as Any, "all offline +10", off as Any, mesh.graph.isConnected, mesh.graph.diameter as Any, mesh.graph.largestDegree)
        }
    }
    @Test(arguments: [true, false]) func `partition`(readvertises: Bool) throws {
        for parts in [2, 3] {
            for seed in UInt64(0)..<5 {
                var c = SimulatedMesh.Conditions()
                c.readvertises = readvertises
                let mesh = try settled(50, seed, c)
                mesh.cut(into: parts)
                mesh.run(for: .seconds(60))
                let g = mesh.graph
                mesh.cut(into: 1)
                let t = mesh.run(atMost: .seconds(60)) { mesh.graph.isConnected }
                let l = mesh.graph.linkCount
                mesh.run(for: .seconds(10))
                print("cut", parts, seed, "connected", g.isConnected, g.linkCount, "healed after", t as Any, l, "10s later", mesh.graph.linkCount, mesh.graph.diameter as Any, "online", mesh.peers.map { p in p.isOnline.values.count { $0 } }.min() as Any)
            }
        }
    }
    @Test func `seeds`() throws {
        for n in [5, 20, 50] {
            for seed in UInt64(0)..<3 {
                var c = SimulatedMesh.Conditions()
                c.hasDiscovery = false
                let mesh = SimulatedMesh(seed: seed, c)
                let first = try mesh.makePeer()
                mesh.start(first)
                try mesh.join(n - 1, seeds: [first.address])
                let t = mesh.run(atMost: .seconds(120)) { mesh.graph.isConnected }
                let t2 = mesh.run(atMost: .seconds(120)) { mesh.peers.allSatisfy { $0.core.peers.count == n - 1 } }
                mesh.run(for: .seconds(60))
                print("seeds", n, seed, t as Any, "all known +", t2 as Any, mesh.graph.linkCount, mesh.graph.largestDegree, mesh.graph.diameter as Any)
            }
        }
    }
    @Test func `visibility`() throws {
        for seed in UInt64(0)..<5 {
            var c = SimulatedMesh.Conditions()
            c.canSee = { a, b in a.pairHash(with: b) % 10 >= 3 }
            c.lostAdvertisements = 20
            let mesh = SimulatedMesh(seed: seed, c)
            try mesh.join(50)
            let t = mesh.run(atMost: .seconds(120)) { mesh.graph.isConnected }
            mesh.run(for: .seconds(60))
            print("visibility", seed, t as Any, mesh.graph.linkCount, mesh.graph.largestDegree, mesh.graph.diameter as Any)
        }
    }
}
