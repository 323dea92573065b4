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

func joinAsKiosk(
    _ database: Database,
    store: String,
    as identity: Identity,
    trusting authority: Certificate
) async throws -> Mesh {
    let condition = "store = '\(store.replacing("'", with: "''"))'"
    let orders = Sync.Selection(try await database.collection("orders"), subscription: condition)
    return try await Mesh.join(
        "stores",
        sharing: database,
        collections: [orders],
        identity: identity,
        trust: .authority(authority)
    )
}

func showRoutes(of documentID: String, in orders: DocumentCollection, over mesh: Mesh) throws {
    for delivery in try mesh.explain(documentID, in: orders) {
        print(delivery.peer, delivery.outcome)
    }
}
