import DivanTestKit
import Testing

@testable import DivanMesh

@Suite struct DebugTests {
    func settled(_ n: Int, _ seed: UInt64, _ c: SimulatedMesh.Conditions = .init()) throws -> SimulatedMesh {
        let mesh = SimulatedMesh(seed: seed, c)
        try mesh.join(n)
        mesh.run(for: .seconds(90))
        return mesh
    }
    @Test func `form`() throws {
        for n in [2, 10, 50, 100] {
        for latency in [1...5, 100...300, 300...900] {
            var c = SimulatedMesh.Conditions(); c.latency = latency
            let mesh = SimulatedMesh(seed: 3, c)
            try mesh.join(n)
            let t = mesh.run(atMost: .seconds(200)) { mesh.graph.isConnected }
            mesh.run(for: .seconds(90))
            print("form", n, latency, t as Any, "opened", mesh.openedCount, "calls", mesh.callCount, mesh.graph.linkCount, mesh.graph.largestDegree)
            let o = mesh.openedCount
            mesh.run(for: .seconds(90))
            print("    later", mesh.openedCount - o, mesh.graph.linkCount, mesh.graph.largestDegree, mesh.graph.isConnected)
        }}
    }
    @Test func `partition`() throws {
        for parts in [2, 3] {
            for seed in UInt64(0)..<3 {
                let mesh = try settled(50, seed)
                mesh.cut(into: parts)
                for _ in 0..<6 {
                    let c = mesh.callCount
                    let m = mesh.messageCount
                    mesh.run(for: .seconds(20))
                    print("cut", parts, seed, "calls per peer and second", Double(mesh.callCount - c) / 50 / 20, "msgs", mesh.messageCount - m, "pending", mesh.peers.map { $0.core.links.count { !$0.isOpen } }.max()!, mesh.peers.map { $0.core.peers.count { $0.isOnline } }.max()!)
                }
                mesh.cut(into: 1)
                for _ in 0..<6 { mesh.run(for: .milliseconds(500)); print(mesh.now, mesh.graph.isConnected, mesh.graph.linkCount) }
            }
        }
    }
    @Test func `kill one`() throws {
        for seed in UInt64(0)..<10 {
            let mesh = try settled(50, seed)
            let gone = mesh.pick(1)[0]
            let near = gone.neighbours
            mesh.kill(gone)
            let t = mesh.run(atMost: .seconds(100)) { mesh.peers.allSatisfy { !near.contains($0.id) || $0.isOnline[gone.id] == false } }
            let u = mesh.run(atMost: .seconds(100)) { mesh.peers.allSatisfy { $0.isOnline[gone.id] == false } }
            print("kill one", seed, "neighbours", t as Any, "others +", u as Any)
        }
    }
    @Test(arguments: [10, 50]) func `fakes`(n: Int) throws {
        for (sameHost, seed, rst) in [(true, UInt64(0), false), (false, 1, false), (false, 2, true)] {
            let mesh = SimulatedMesh(seed: seed)
            mesh.conditions.failing = rst ? 2 : 3_000
            for (i, id) in MeshPeerID.random(1000, seed: 99).enumerated() {
                let a = try MeshAddress(sameHost ? "10.9.9.9:\(5000 + i)" : "10.9.\(i / 250).\(i % 250):5000")
                mesh.advertise(MeshAnnouncement(peer: id, counter: MeshCounter(rawValue: 5), scheme: 4), of: a)
            }
            try mesh.join(n)
            let t = mesh.run(atMost: .seconds(200)) { mesh.graph.isConnected }
            print("fakes", sameHost, rst, seed, t as Any, mesh.graph.linkCount, mesh.graph.largestDegree)
            for _ in 0..<1 {
                let c = mesh.callCount
                mesh.run(for: .seconds(30))
                print("   ", mesh.graph.linkCount, mesh.graph.largestDegree, mesh.graph.diameter as Any, "calls/s/peer", Double(mesh.callCount - c) / Double(n) / 30, mesh.peers[0].core.peers.count { $0.isOnline })
            }
            let p = try mesh.join(1)[0]
            let u = mesh.run(atMost: .seconds(200)) { p.neighbours.count > 0 }
            let v = mesh.run(atMost: .seconds(200)) { p.neighbours.count > 3 }
            print("  newcomer linked after", u as Any, "4 links +", v as Any)
        }
    }
}
