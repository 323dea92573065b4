import DivanMesh
import DivanReplicator
import DivanStore
import DivanTLS

/// What is remembered of peers in addition to the mesh's state: certificates and replications.
///
/// Bounded: at the limit, a peer without a link makes room for a new one.
struct PeerRecords {
    struct Record {
        var certificate: TLSCertificate?
        var replication = SyncStatus(.stopped)
        /// The collections of the last link, and what the peer wants of them.
        var collections: [CollectionPath]?
        var subscriptions: [CollectionPath: String] = [:]
    }

    private(set) var records: [MeshPeerID: Record] = [:]

    subscript(peer: MeshPeerID) -> Record? { records[peer] }

    mutating func update(_ peer: MeshPeerID, _ change: (inout Record) -> Void) {
        if records[peer] == nil, records.count >= MeshPeerLimits.peerRecordCount {
            let free = records.first { $0.value.replication.activity == .stopped }
            guard let free else { return }
            records[free.key] = nil
        }
        change(&records[peer, default: Record()])
    }
}
