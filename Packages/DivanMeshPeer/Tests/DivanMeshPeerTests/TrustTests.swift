import DivanDiscovery
import DivanMesh
import DivanMeshPeer
import DivanReplicator
import DivanRevisions
import DivanStore
import DivanTLS
import Foundation
import Synchronization
import Testing

/// Peers that one side does not accept.
@Suite(.timeLimit(.minutes(5))) struct TrustTests {
    /// The error that the caller shows, whichever of the two calls.
    private func refusal(_ one: TestPeer, _ other: TestPeer) async -> SyncError? {
        let caller = one.id.isCaller(of: other.id) ? (one, other) : (other, one)
        return await caller.0.refusal(of: caller.1.id)
    }

    @Test func `a peer with a certificate of another root is refused with the reason`()
        async throws
    {
        let (root, other) = (try Sample.authority(), try Sample.authority("Other Root"))
        let hub = DiscoveryHub()
        let ours = try TestPeer(Sample.peer(issuer: root), trust: .roots([root.leaf])) {
            $0.discovery = hub
        }
        let stranger = try TestPeer(
            Sample.peer(issuer: other),
            trust: .roots([root.leaf, other.leaf])
        ) { $0.discovery = hub }
        try stranger.store.put("secret", 1)
        try ours.start()
        try stranger.start()
        let error = await refusal(ours, stranger)
        #expect(error?.wireCode.domain == .network)
        #expect(error?.message.contains("certificate") == true)
        #expect(ours.peer.peer(stranger.id)?.link == nil)
        #expect(try ours.store.text("secret") == nil)
        for peer in [ours, stranger] { await peer.leave() }
    }

    @Test func `an expired certificate is refused, even if the application accepts it`()
        async throws
    {
        let day: TimeInterval = 86_400
        let expired = try Sample.peer(made: Date() - 3 * day, notAfter: Date() - day)
        let hub = DiscoveryHub()
        let asked = Mutex<Set<MeshPeerID>>([])
        let trust = PeerTrust.callback { peer, _ in
            asked.withLock { _ = $0.insert(peer) }
            return true
        }
        let ours = try TestPeer(Sample.peer(), trust: trust) { $0.discovery = hub }
        let stranger = try TestPeer(expired, trust: trust) { $0.discovery = hub }
        try ours.start()
        try stranger.start()
        let error = await refusal(ours, stranger)
        #expect(error?.wireCode.domain == .network)
        #expect(!asked.withLock { $0.contains(stranger.id) })
        for peer in [ours, stranger] { await peer.leave() }
    }

    @Test func `an application decides about peers by their IDs`() async throws {
        let credentials = try (0..<2).map { _ in try Sample.peer() }
        let friends = Set(credentials.map { MeshPeerID($0.leaf) })
        let hub = DiscoveryHub()
        let peers = try credentials.map { credential in
            try TestPeer(credential, trust: .callback { peer, _ in friends.contains(peer) }) {
                $0.discovery = hub
            }
        }
        for peer in peers { try peer.start() }
        try peers[0].store.put("shared", 5)
        try await peers[1].store.wait(for: "shared", 5)
        #expect(peers[0].peer.peer(peers[1].id)?.certificate == credentials[1].leaf)
        for peer in peers { await peer.leave() }
    }

    @Test func `peers without a common collection report why they are not linked`() async throws {
        let root = try Sample.authority()
        let hub = DiscoveryHub()
        let path = try #require(CollectionPath("recipes"))
        let peers = try [[CollectionPath.default], [path]].map { collections in
            try TestPeer(Sample.peer(issuer: root), trust: .roots([root.leaf])) {
                $0.discovery = hub
                $0.collections = collections
            }
        }
        try peers[1].store.write { try $0.createCollection(path) }
        for peer in peers { try peer.start() }
        let error = await refusal(peers[0], peers[1])
        #expect(error?.wireCode == .http(HTTPStatus(rawValue: 409)))
        for peer in peers { await peer.leave() }
    }
}
