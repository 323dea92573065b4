import DivanDatabase
import DivanJSON
import DivanMesh
import DivanMeshPeer
import DivanReplicator
import DivanStatus
import DivanTLS
import Foundation
import Synchronization

/// A mesh for other processes on this machine, read repeatedly.
final class MeshReport: Sendable {
    /// How many peers are reported.
    private static let peerCount = 1_000

    private let peer: MeshPeer
    private let group: String
    private let database: String
    private let name: String?
    private let begin: Date
    private let clock = ContinuousClock.now
    /// The documents of each link at the last readings.
    private let windows = Mutex<[MeshPeerID: RateWindow]>([:])

    init(_ peer: MeshPeer, _ settings: MeshSettings, since begin: Date) {
        self.peer = peer
        group = settings.group
        database = settings.database.name
        name = settings.identity.credential.leaf.commonName
        self.begin = begin
    }

    /// The members of `divan mesh status --json`.
    var members: JSONObject {
        let peers = peer.peers
        let rates = readRates(of: peers)
        var object: JSONObject = [
            "verb": "mesh", "database": .string(database), "group": .string(group),
            "peerID": .string("\(peer.id)"), "port": JSON(peer.port ?? 0),
            "started": .string(begin.statusText),
            "activity": .string(activity(of: peers)),
            "connections": ["open": JSON(peers.count { $0.link != nil })],
            "online": JSON(peers.count { $0.isOnline }),
            "peers": .array(
                peers.prefix(Self.peerCount).map { .object(Self.members(of: $0, rates[$0.id])) }
            ),
        ]
        if let name { object["name"] = .string(name) }
        return object
    }

    private func activity(of peers: [MeshPeerInfo]) -> String {
        let linked = peers.filter { $0.link != nil }
        if linked.isEmpty { return "alone" }
        return linked.contains { $0.replication.activity == .busy } ? "busy" : "idle"
    }

    /// Documents per second of each linked peer.
    private func readRates(of peers: [MeshPeerInfo]) -> [MeshPeerID: Double] {
        let seconds = (ContinuousClock.now - clock) / .seconds(1)
        return windows.withLock { windows in
            var current: [MeshPeerID: RateWindow] = [:]
            for peer in peers where peer.link != nil {
                var window = windows[peer.id] ?? RateWindow()
                window.note([peer.replication.documentCount], at: seconds)
                current[peer.id] = window
            }
            windows = current
            return current.mapValues { $0.rate(0) }
        }
    }

    private static func members(of peer: MeshPeerInfo, _ rate: Double?) -> JSONObject {
        var object: JSONObject = [
            "peerID": .string("\(peer.id)"), "online": .bool(peer.isOnline),
            "activity": .string("\(peer.replication.activity)"),
            "documents": JSON(peer.replication.documentCount),
            "neighbours": .array(peer.neighbours.map { .string("\($0)") }),
        ]
        if let link = peer.link {
            object["direction"] = .string(link.isOutgoing ? "outgoing" : "incoming")
            object["reason"] = .string(link.reason.rawValue)
            object["rate"] = JSON(Int((rate ?? 0).rounded()))
            object["pending"] = JSON(peer.replication.pendingCount)
        }
        if peer.isPartial { object["partial"] = true }
        if let collections = peer.collections {
            object["collections"] = .array(collections.map { .string($0.wireName) })
            var subscriptions = JSONObject()
            for (path, condition) in peer.subscriptions {
                subscriptions[path.wireName] = .string(condition)
            }
            object["subscriptions"] = .object(subscriptions)
        }
        if let name = peer.certificate?.commonName { object["name"] = .string(name) }
        if !peer.isCompatible { object["compatible"] = false }
        if let error = peer.replication.error { object["error"] = .string("\(error)") }
        return object
    }
}

extension SyncStatus {
    /// Documents still to be transferred, as far as known.
    fileprivate var pendingCount: UInt64 {
        activity == .busy && expectedDocumentCount > documentCount
            ? expectedDocumentCount - documentCount : 0
    }
}
