import DivanMesh
import DivanTestKit
import Testing

@Suite struct DebugTests {
    @Test func `a call`() {
        let id = MeshPeerID(1)
        var core = MeshCore(MeshConfiguration(peer: id, scheme: 4, firstCounter: 1, random: SeededSource(seed: 1)))
        var now = Duration.zero
        print(core.handle(.found(MeshSighting(name: [1], announcement: CoreBench.announcement(MeshPeerID(2)), addresses: [CoreBench.address(MeshPeerID(2))!])), at: now).filter { if case .setTimer = $0 { true } else { false } })
        for _ in 0..<25 {
            now += .milliseconds(500)
            print(now, core.handle(.timer, at: now).map { "\($0)".prefix(100) })
        }
    }
    @Test func `hub`() {
        let peers = MeshPeerID.random(9, seed: 5)
        var bench = CoreBench(MeshPeerID(1))
        for peer in peers.prefix(6) {
            bench.link(peer, neighbours: peers.filter { $0 != peer })
        }
        print(bench.core.links.count)
        for _ in 0..<60 { let e = bench.pass(.milliseconds(500)); for e in e { print(bench.now, "\(e)".prefix(150)) } }
    }
}
