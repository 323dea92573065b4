import DivanDiscovery
import DivanMesh
import DivanMeshPeer
import DivanReplicator
import DivanRevisions
import DivanStore
import DivanTLS
import Testing

/// The README's example, verbatim.
@Suite(.timeLimit(.minutes(5))) struct MeshPeerReadmeTests {
    @Test func `the README example joins a mesh`() async throws {
        let root = try Sample.authority()
        let identity = try Sample.peer(issuer: root)
        let hub = DiscoveryHub()
        let other = try TestPeer(Sample.peer(issuer: root), trust: .roots([root.leaf])) {
            $0.discovery = hub
        }
        try other.start()
        let store = Store.inMemory()
        try store.put("hello", 1)
        var configuration = MeshPeerConfiguration(
            group: try MeshGroup("kitchen"),
            credential: identity,
            trust: .roots([root.leaf]),
            collections: [.default]
        )
        configuration.discovery = hub
        configuration.onEvent = { event in
            if case .presence(let peer, let isOnline) = event { show(peer, isOnline) }
        }
        let peer = try MeshPeer(store: store, configuration: configuration)
        try peer.start()
        try await other.store.wait(for: "hello", 1)
        peer.stop()
        await other.leave()
    }

    private func show(_ peer: MeshPeerID, _ isOnline: Bool) {
        #expect(!peer.bytes.isEmpty)
    }
}
