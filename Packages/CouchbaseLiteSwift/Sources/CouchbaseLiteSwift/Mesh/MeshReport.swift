import DivanJSON
import DivanMesh
import DivanMeshPeer
import DivanReplicator
import DivanTLS
import Foundation

/// A mesh at one moment, for other processes on this machine.
struct MeshReport {
    /// How many peers are reported.
    private static let peerCount = 1_000

    private let peer: MeshPeer
    private let group: String
    private let database: String
    private let begin: Date

    init(_ peer: MeshPeer, group: String, database: String, since begin: Date) {
        self.peer = peer
        self.group = group
        self.database = database
        self.begin = begin
    }

    /// The members of `divan mesh status --json`.
    var members: JSONObject {
        let peers = peer.peers
        return [
            "verb": "mesh", "database": .string(database), "group": .string(group),
            "peerID": .string("\(peer.id)"), "port": JSON(peer.port ?? 0),
            "started": .string(begin.statusText),
            "activity": .string(activity(of: peers)),
            "connections": ["open": JSON(peers.count { $0.link != nil })],
            "online": JSON(peers.count { $0.isOnline }),
            "peers": .array(peers.prefix(Self.peerCount).map { .object(Self.members(of: $0)) }),
        ]
    }

    private func activity(of peers: [MeshPeerInfo]) -> String {
        let linked = peers.filter { $0.link != nil }
        if linked.isEmpty { return "alone" }
        return linked.contains { $0.replication.activity == .busy } ? "busy" : "idle"
    }

    private static func members(of peer: MeshPeerInfo) -> JSONObject {
        var object: JSONObject = [
            "peerID": .string("\(peer.id)"), "online": .bool(peer.isOnline),
            "activity": .string("\(peer.replication.activity)"),
            "documents": JSON(peer.replication.documentCount),
            "neighbours": .array(peer.neighbours.map { .string("\($0)") }),
        ]
        if let link = peer.link {
            object["direction"] = .string(link.isOutgoing ? "outgoing" : "incoming")
            object["reason"] = .string(link.reason.rawValue)
        }
        if let name = peer.certificate?.commonName { object["name"] = .string(name) }
        if !peer.isCompatible { object["compatible"] = false }
        if let error = peer.replication.error { object["error"] = .string("\(error)") }
        return object
    }
}
