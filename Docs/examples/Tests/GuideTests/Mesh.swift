import CouchbaseLiteSwift
import Foundation

func joinHomeMesh(
    _ database: Database,
    as identity: TLSIdentity,
    trusting authority: SecCertificate
) throws -> Mesh {
    let mesh = try Mesh(
        group: "home",
        collections: [try database.defaultCollection()],
        identity: identity,
        trust: .roots([authority])
    )
    try mesh.join()
    return mesh
}

func showPeers(of mesh: Mesh) async {
    for await peer in mesh.peers {
        print(peer.id, peer.isOnline ? "online" : "offline", peer.status.activity)
    }
}
