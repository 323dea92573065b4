import DivanDatabase
import DivanMeshPeer
import DivanReplicator
import Foundation

extension Mesh {
    /// Whether and how a document reaches another peer, as far as this peer knows.
    public struct Delivery: Hashable, Sendable {
        /// What happens to the document.
        public enum Outcome: Hashable, Sendable {
            /// It is sent over the link between the two peers.
            case linked
            /// It is sent to this peer, and over others that carry everything; the last one applies the subscription.
            case relayed(through: PeerID)
            /// The peer has not subscribed to it: this is its condition.
            case notSubscribed(String)
            /// A filter of this peer, or its list of documents, leaves it out.
            case filtered
            /// The peer does not sync the collection.
            case notShared
            /// No known way leads over peers that carry everything: it waits for one.
            case noRelay
            /// The peer is offline: it waits until the peer is online.
            case offline
            /// The databases have different revision schemes.
            case incompatible
        }

        /// The other peer.
        public let peer: PeerID
        /// What happens to the document.
        public let outcome: Outcome
    }

    /// Returns how a document reaches each known peer, in the order of their IDs; empty unless joined.
    ///
    /// This peer knows the conditions of the peers to which it is linked, and of the others only whether they carry
    /// everything. Filters of other peers are not considered.
    ///
    /// - Throws: `notFound` (7) if the document does not exist, `invalidParameter` (9) if the mesh does not sync the
    ///   collection, `notOpen` (6) for a closed database or a deleted collection.
    public func explain(documentID: String, in collection: Collection) throws -> [Delivery] {
        let settings = configuration.collections.first { $0.collection.path == collection.path }
        guard let settings, collection.database === settings.collection.database else {
            throw NSError(
                CBLError.invalidParameter,
                "mesh: collection \(collection.fullName) is not synced; pass one of the mesh"
            )
        }
        guard let document = try collection.document(id: documentID) else {
            throw NSError(
                CBLError.notFound,
                "mesh: document \(documentID.debugDescription) not found"
            )
        }
        let revision = FilteredRevision(document.name, nil, body: document.body.bytes)
        let peers = knownPeerInfo
        let linked = peers.filter { $0.link != nil }.map { peer in
            (peer.id, outcome(of: document, revision, for: peer, settings))
        }
        let direct = Dictionary(uniqueKeysWithValues: linked)
        return peers.map { peer in
            let outcome: Delivery.Outcome
            if let known = direct[peer.id] {
                outcome = known
            } else if !peer.isCompatible {
                outcome = .incompatible
            } else if !peer.isOnline {
                outcome = .offline
            } else if let carrier = peer.carrier, direct[carrier] == .linked {
                outcome = .relayed(through: PeerID(carrier))
            } else {
                outcome = .noRelay
            }
            return Delivery(peer: PeerID(peer.id), outcome: outcome)
        }
    }

    /// What happens to a document on the link to a peer.
    private func outcome(
        of document: Document,
        _ revision: FilteredRevision,
        for peer: MeshPeerInfo,
        _ settings: MultipeerCollectionConfiguration
    ) -> Delivery.Outcome {
        let path = settings.collection.path
        guard peer.collections.contains(path) else { return .notShared }
        guard settings.sends(document, to: PeerID(peer.id)) else { return .filtered }
        guard peer.wants(revision, in: path) else {
            return .notSubscribed(peer.subscriptions[path] ?? "")
        }
        return .linked
    }
}
