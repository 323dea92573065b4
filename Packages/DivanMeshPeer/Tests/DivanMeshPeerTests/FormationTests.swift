import DivanDiscovery
import DivanMesh
import DivanMeshPeer
import DivanReplicator
import DivanRevisions
import DivanStore
import DivanTLS
import Testing

/// Peers on the loopback interface find each other, sync, and go on without one of them.
@Suite(.timeLimit(.minutes(5))) struct FormationTests {
    private let root: TLSCredential

    init() throws {
        root = try Sample.authority()
    }

    private func peers(_ count: Int, hub: DiscoveryHub) throws -> [TestPeer] {
        try (0..<count).map { _ in
            try TestPeer(Sample.peer(issuer: root), trust: .roots([root.leaf])) {
                $0.discovery = hub
            }
        }
    }

    @Test func `three peers that see each other converge`() async throws {
        let peers = try peers(3, hub: DiscoveryHub())
        for (number, peer) in peers.enumerated() {
            try peer.store.put(DocumentID(unchecked: "from-\(number)"), number)
            try peer.start()
        }
        for peer in peers {
            for number in peers.indices {
                try await peer.store.wait(for: DocumentID(unchecked: "from-\(number)"), number)
            }
        }
        for peer in peers { await peer.leave() }
    }

    @Test func `after one of three peers has left, edits of the others still arrive`() async throws
    {
        let peers = try peers(3, hub: DiscoveryHub())
        for peer in peers { try peer.start() }
        for peer in peers { await peer.wait { peer.peer.peers.count { $0.isOnline } == 2 } }
        try peers[0].store.put("before", 1)
        for peer in peers { try await peer.store.wait(for: "before", 1) }
        await peers[1].leave()
        await peers[0].wait { peers[0].peer.peer(peers[1].id)?.isOnline != true }
        try peers[0].store.put("after", 2)
        try peers[2].store.put("after-too", 3)
        try await peers[2].store.wait(for: "after", 2)
        try await peers[0].store.wait(for: "after-too", 3)
        #expect(try peers[1].store.text("after") == nil)
        for peer in [peers[0], peers[2]] { await peer.leave() }
    }

    @Test func `peers that know only one seed find each other, and sync without it`() async throws {
        let trust = PeerTrust.roots([root.leaf])
        let seed = try TestPeer(Sample.peer(issuer: root), trust: trust) {
            $0.discovery = DiscoveryHub()
        }
        let address = try seed.start()
        let others = try (0..<2).map { _ in
            try TestPeer(Sample.peer(issuer: root), trust: trust) { $0.seeds = [address] }
        }
        for peer in others { try peer.start() }
        for (one, other) in [(others[0], others[1]), (others[1], others[0])] {
            await one.wait { one.peer.peer(other.id)?.link != nil }
        }
        await seed.leave()
        try others[0].store.put("later", 7)
        try await others[1].store.wait(for: "later", 7)
        for peer in others { await peer.leave() }
    }

    @Test func `peers of another group are not found, and not accepted`() async throws {
        let hub = DiscoveryHub()
        let trust = PeerTrust.roots([root.leaf])
        let ours = try peers(2, hub: hub)
        let address = try ours[0].start()
        let stranger = try TestPeer(Sample.peer(issuer: root), trust: trust, group: "garden") {
            $0.discovery = hub
            $0.seeds = [address]
        }
        try stranger.store.put("secret", 1)
        try stranger.start()
        try ours[1].start()
        try ours[0].store.put("public", 1)
        try await ours[1].store.wait(for: "public", 1)
        #expect(stranger.peer.peers.isEmpty)
        #expect(try ours[0].store.text("secret") == nil)
        for peer in ours + [stranger] { await peer.leave() }
    }

    @Test func `a peer that stops immediately reports no later events`() async throws {
        let hub = DiscoveryHub()
        for _ in 0..<20 {
            let peer = try peers(1, hub: hub)[0]
            try peer.start()
            await peer.leave()
            #expect(peer.peer.port == nil)
        }
    }
}
