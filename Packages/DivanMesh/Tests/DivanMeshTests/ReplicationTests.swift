import DivanMesh
import DivanTestKit
import Testing

/// Documents reach all peers over the links of a mesh, and none is lost.
@Suite struct ReplicationTests {
    private static func mesh(
        _ count: Int,
        documents: Int,
        seed: UInt64
    ) throws -> SimulatedMesh {
        let mesh = SimulatedMesh(seed: seed)
        try mesh.join(count)
        for peer in mesh.peers { mesh.save(documents, at: peer) }
        return mesh
    }

    @Test(arguments: SimulatedMesh.seeds(2, oneOf: 1))
    func `50 peers with 50 documents each sync within five rounds over at most eight links`(
        seed: UInt64
    ) throws {
        let mesh = try Self.mesh(50, documents: 50, seed: seed)
        let time = mesh.run(atMost: .seconds(10)) { mesh.isEqual() }
        #expect(time != nil, "seed \(seed)")
        #expect(mesh.rounds.count <= 5, "seed \(seed)")
        #expect(mesh.peers.allSatisfy { $0.documents.count == 2_500 }, "seed \(seed)")
        mesh.run(for: .seconds(SimulatedMesh.size(45, short: 15)))
        #expect(mesh.graph.largestDegree <= MeshLimits.linkCount, "seed \(seed)")
        #expect(mesh.graph.meanDegree <= 6.5 && mesh.hasNoDuplicateLinks, "seed \(seed)")
    }

    /// Each peer adds a key to the same document.
    ///
    /// A merge has all keys of both revisions, and equal merges are one revision, so a set of keys stands for one.
    @Test(arguments: SimulatedMesh.seeds(1))
    func `a conflict among 50 peers converges to one revision, and no other one follows`(
        seed: UInt64
    ) throws {
        let mesh = try Self.mesh(50, documents: 0, seed: seed)
        // In the long run until links do not change any more: a new one would be a further round.
        mesh.run(for: .seconds(SimulatedMesh.size(180, short: 10)))
        for peer in mesh.peers { mesh.save(at: peer) }
        let time = mesh.run(atMost: .seconds(10)) { mesh.isEqual() }
        #expect(time != nil, "seed \(seed)")
        #expect(mesh.peers.allSatisfy { $0.documents.count == 50 }, "seed \(seed)")
        let rounds = mesh.rounds.count
        mesh.run(for: .seconds(2))
        #expect(mesh.rounds.count - rounds <= 3, "seed \(seed)")
        let settled = mesh.rounds.count
        mesh.run(for: .seconds(SimulatedMesh.size(600, short: 5)))
        #expect(mesh.rounds.count == settled, "seed \(seed)")
    }

    @Test(arguments: SimulatedMesh.seeds(1))
    func `a bulk load is received about once by each of 50 peers`(seed: UInt64) throws {
        let mesh = SimulatedMesh(seed: seed)
        mesh.conditions.listCount = 200
        try mesh.join(50)
        mesh.run(for: .seconds(10))
        let count = SimulatedMesh.size(10_000, short: 2_000)
        mesh.save(count, at: mesh.pick(1)[0])
        let time = mesh.run(atMost: .seconds(30)) { mesh.isEqual() }
        #expect(time != nil, "seed \(seed)")
        mesh.run(for: .seconds(5))
        let received = mesh.peers.reduce(0) { $0 + $1.receivedCount }
        #expect(received * 10 <= 49 * count * 11, "seed \(seed): \(received)")
    }

    @Test(arguments: SimulatedMesh.seeds(1))
    func `a saved document is received at most one and a half times`(seed: UInt64) throws {
        let mesh = SimulatedMesh(seed: seed)
        try mesh.join(50)
        mesh.run(for: .seconds(10))
        for peer in mesh.pick(10) {
            mesh.save(at: peer)
            mesh.run(for: .seconds(1))
        }
        #expect(mesh.isEqual(), "seed \(seed)")
        let received = mesh.peers.reduce(0) { $0 + $1.receivedCount }
        #expect(received * 2 <= 49 * 10 * 3, "seed \(seed): \(received)")
    }

    @Test(arguments: SimulatedMesh.seeds(1))
    func `a document saved in an idle mesh reaches 50 peers within 25 milliseconds`(
        seed: UInt64
    ) throws {
        let mesh = SimulatedMesh(seed: seed)
        mesh.conditions.latency = 1...1
        try mesh.join(50)
        mesh.run(for: .seconds(10))
        let document = mesh.save(at: mesh.pick(1)[0])
        mesh.run(for: .milliseconds(25))
        #expect(mesh.isEqual(with: document), "seed \(seed)")
    }

    /// Each part writes for a minute; then the network is restored, and nothing notifies the peers.
    @Test(arguments: [2, 3], SimulatedMesh.seeds(1))
    func `divided parts are in sync ten seconds after the network is restored`(
        parts: Int,
        seed: UInt64
    ) throws {
        let mesh = try Self.mesh(SimulatedMesh.size(50, short: 18), documents: 1, seed: seed)
        mesh.run(for: .seconds(30))
        mesh.cut(into: parts)
        var written = DocumentSet()
        for _ in 0..<60 {
            for peer in mesh.pick(3) { written.formUnion(mesh.save(at: peer)) }
            mesh.run(for: .seconds(1))
        }
        let components = mesh.graph.components
        #expect(components.count == parts, "seed \(seed)")
        for component in components {
            let inside = mesh.peers.filter { component.contains($0.id) }.map(\.documents)
            #expect(inside.allSatisfy { $0 == inside[0] }, "seed \(seed)")
        }
        #expect(!mesh.isEqual(), "seed \(seed)")

        mesh.cut(into: 1)
        mesh.run(for: .seconds(10))
        #expect(mesh.isEqual(with: written), "seed \(seed)")
    }

    /// Three of ten pairs never see each other, and a fifth of what is advertised is lost.
    @Test(arguments: SimulatedMesh.seeds(1))
    func `peers that do not see each other sync through others`(seed: UInt64) throws {
        let mesh = SimulatedMesh(seed: seed)
        mesh.conditions.canSee = { $0.pairHash(with: $1) % 10 >= 3 }
        mesh.conditions.lostAdvertisements = 20
        for peer in try mesh.join(SimulatedMesh.size(40, short: 20)) { mesh.save(5, at: peer) }
        let time = mesh.run(atMost: .seconds(30)) { mesh.isEqual() }
        #expect(time.map { $0 <= .seconds(10) } == true, "seed \(seed)")
    }

    /// A write counts as acknowledged when its peer has pushed it on all links before it leaves.
    ///
    /// Ten minutes with 50 peers in the long run.
    @Test(arguments: SimulatedMesh.seeds(1, oneOf: 100))
    func `no acknowledged write is lost while a peer joins or leaves each second`(
        seed: UInt64
    ) throws {
        let seconds = SimulatedMesh.size(600, short: 30)
        let mesh = try Self.mesh(SimulatedMesh.size(50, short: 20), documents: 1, seed: seed)
        mesh.run(for: .seconds(30))
        let openedBefore = mesh.openedCount
        var acknowledged = DocumentSet()
        var disconnected = 0
        for second in 0..<seconds {
            if second.isMultiple(of: 2) {
                for peer in try mesh.join(1) { mesh.save(at: peer) }
            } else {
                let leaving = mesh.pick(1)[0]
                if mesh.isPushed(leaving) { acknowledged.formUnion(leaving.documents) }
                if second % 4 == 1 { mesh.leave(leaving) } else { mesh.kill(leaving) }
            }
            mesh.save(at: mesh.pick(1)[0])
            mesh.run(for: .seconds(1))
            let graph = mesh.graph
            let most = MeshLimits.linkCount + MeshLimits.extraLinkCount
            #expect(graph.largestDegree <= most, "seed \(seed), second \(second)")
            // Newcomers have a second; a moment of separation is allowed, not a lasting one.
            disconnected = graph.isConnected ? 0 : disconnected + 1
            #expect(disconnected <= 5, "seed \(seed), second \(second)")
        }
        let perEvent = Double(mesh.openedCount - openedBefore) / Double(seconds)
        #expect(perEvent <= 12, "seed \(seed): \(perEvent) links opened for each event")
        for peer in mesh.peers { acknowledged.formUnion(peer.documents) }
        mesh.run(for: .seconds(30))
        #expect(mesh.isEqual(with: acknowledged), "seed \(seed)")
        mesh.run(for: .seconds(30))
        #expect(mesh.graph.isConnected, "seed \(seed)")
        #expect(mesh.graph.largestDegree <= MeshLimits.linkCount, "seed \(seed)")
        let online = mesh.peers.map(\.onlineCount)
        #expect(online.allSatisfy { $0 == mesh.peers.count - 1 }, "seed \(seed): \(online)")
    }
}
