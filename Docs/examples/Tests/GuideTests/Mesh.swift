import Divan

func joinHomeMesh(
    _ database: Database,
    as identity: Identity,
    trusting authority: Certificate
) async throws -> Mesh {
    try await Mesh.join("home", sharing: database, identity: identity, trust: .authority(authority))
}

func showPeers(of mesh: Mesh) async {
    for await peer in mesh.peers {
        print(peer.id, peer.isOnline ? "online" : "offline", peer.status)
    }
}
