import DivanMesh
import DivanReplicator
import DivanTLS

/// What is remembered of peers beside the mesh's own state: certificates and replications.
///
/// Bounded: at the limit, a peer without a link makes room for a new one.
struct PeerNotes {
    struct Note {
        var certificate: TLSCertificate?
        var replication = SyncStatus(.stopped)
    }

    private(set) var notes: [MeshPeerID: Note] = [:]

    subscript(peer: MeshPeerID) -> Note? { notes[peer] }

    mutating func update(_ peer: MeshPeerID, _ change: (inout Note) -> Void) {
        if notes[peer] == nil, notes.count >= MeshPeerLimits.noteCount {
            let free = notes.first { $0.value.replication.activity == .stopped }
            guard let free else { return }
            notes[free.key] = nil
        }
        change(&notes[peer, default: Note()])
    }
}
