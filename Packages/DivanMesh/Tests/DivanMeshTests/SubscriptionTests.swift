import DivanMesh
import Testing

/// Peers that subscribe to a part of the documents get exactly that part, and do not keep others from theirs.
@Suite struct SubscriptionTests {
    /// Peers of which some subscribe, each to one of four parts of the documents.
    private static func mesh(relays: Int, partial: Int, seed: UInt64) throws -> SimulatedMesh {
        let mesh = SimulatedMesh(seed: seed)
        for number in 0..<(relays + partial) {
            // Alternately as far as possible, so that neither kind is first.
            let isRelay = number % 2 == 0 ? number / 2 < relays : number / 2 >= partial
            mesh.start(try mesh.makePeer(subscription: isRelay ? nil : part(number / 2 % 4)))
        }
        return mesh
    }

    private static func part(_ number: Int) -> DocumentSet {
        DocumentSet(stride(from: number, to: 1_000, by: 4))
    }

    @Test(arguments: [(8, 12), (3, 9), (2, 18), (1, 4)], SimulatedMesh.seeds(2))
    func `each peer ends with the documents that it subscribed to or saved`(
        _ counts: (relays: Int, partial: Int),
        seed: UInt64
    ) throws {
        let mesh = try Self.mesh(relays: counts.relays, partial: counts.partial, seed: seed)
        var saved: [MeshPeerID: DocumentSet] = [:]
        for peer in mesh.peers { saved[peer.id] = mesh.save(10, at: peer) }
        mesh.run(for: .seconds(20))
        for peer in mesh.peers { saved[peer.id]?.formUnion(mesh.save(3, at: peer)) }
        mesh.run(for: .seconds(25))
        let all = DocumentSet(0..<mesh.savedCount)
        for peer in mesh.peers {
            var expected = peer.subscription.map { all.intersection($0) } ?? all
            expected.formUnion(saved[peer.id] ?? DocumentSet())
            #expect(peer.documents.isSuperset(of: expected), "seed \(seed)")
            #expect(expected.isSuperset(of: peer.documents), "seed \(seed)")
        }
    }

    @Test(arguments: [(5, 10), (2, 18)], SimulatedMesh.seeds(2))
    func `peers that carry everything are connected, and each other peer is linked to one`(
        _ counts: (relays: Int, partial: Int),
        seed: UInt64
    ) throws {
        let mesh = try Self.mesh(relays: counts.relays, partial: counts.partial, seed: seed)
        mesh.run(for: .seconds(60))
        let partial = Set(mesh.peers.filter { $0.subscription != nil }.map(\.id))
        #expect(mesh.graph.without(partial).isConnected, "seed \(seed)")
        for peer in mesh.peers {
            let relays = peer.neighbours.subtracting(partial)
            #expect(!relays.isEmpty && relays.count <= MeshLimits.linkCount, "seed \(seed)")
            #expect(peer.neighbours.count - relays.count <= MeshLimits.leafCount, "seed \(seed)")
            let routes = peer.routes
            for other in peer.core.peers {
                let isOnTheWay = routes[other.peer].map { peer.neighbours.contains($0) }
                #expect(isOnTheWay == true, "seed \(seed)")
                #expect(other.isPartial == partial.contains(other.peer), "seed \(seed)")
            }
        }
        let opened = mesh.openedCount
        mesh.run(for: .seconds(60))
        #expect(mesh.openedCount == opened, "seed \(seed)")
    }

    @Test func `no route leads to a peer that no relay has room for`() throws {
        let count = MeshLimits.leafCount + 4
        let mesh = try Self.mesh(relays: 1, partial: count, seed: 3)
        mesh.run(for: .seconds(60))
        let relay = try #require(mesh.peers.first { $0.subscription == nil })
        #expect(relay.neighbours.count == MeshLimits.leafCount)
        let routes = relay.routes
        for peer in relay.core.peers {
            #expect(routes[peer.peer] == (peer.isLinked ? peer.peer : nil))
        }
        #expect(mesh.graph.isConnected)
    }

    @Test func `if no peer carries everything, all are linked as if they did`() throws {
        let mesh = try Self.mesh(relays: 0, partial: 10, seed: 1)
        mesh.run(for: .seconds(45))
        #expect(mesh.graph.isConnected && mesh.graph.largestDegree <= MeshLimits.linkCount)
    }

    @Test(arguments: SimulatedMesh.seeds(2))
    func `documents that wait for a relay are sent when there is one`(seed: UInt64) throws {
        let mesh = try Self.mesh(relays: 1, partial: 6, seed: seed)
        mesh.run(for: .seconds(20))
        let relay = try #require(mesh.peers.first { $0.subscription == nil })
        mesh.kill(relay)
        mesh.run(for: .seconds(30))
        for peer in mesh.peers { mesh.save(4, at: peer) }
        mesh.run(for: .seconds(20))
        let successor = try mesh.makePeer()
        mesh.start(successor)
        mesh.run(for: .seconds(40))
        let all = DocumentSet(0..<mesh.savedCount)
        #expect(successor.documents.isSuperset(of: all), "seed \(seed)")
        for peer in mesh.peers {
            let expected = peer.subscription.map { all.intersection($0) } ?? all
            #expect(peer.documents.isSuperset(of: expected), "seed \(seed)")
        }
    }
}

extension SimulatedPeer {
    /// The routes over peers that carry everything.
    fileprivate var routes: MeshRoutes {
        let peers = core.peers
        let relays = peers.filter { !$0.isPartial }.map { ($0.peer, $0.neighbours) }
        let receivers = Dictionary(uniqueKeysWithValues: relays)
        return MeshRoutes(over: peers.filter(\.isLinked).map(\.peer)) { receivers[$0] ?? [] }
    }
}
