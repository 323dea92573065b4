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
            /// A filter of this peer, or its list of documents, leaves it out, for the peer or for all linked ones.
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
    /// This peer knows the collections and conditions of the peers to which it is or was linked since it joined, and of
    /// the others only whether they carry everything. Filters of other peers are not considered.
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
        let outcomes = MeshDelivery.all(
            to: peers,
            in: settings.collection.path,
            isSent: { settings.sends(document, to: PeerID($0)) },
            isWanted: { (try? Collection.interest(in: $0))?(revision) ?? true }
        )
        return zip(peers, outcomes).map { peer, outcome in
            Delivery(peer: PeerID(peer.id), outcome: Delivery.Outcome(outcome))
        }
    }
}

extension Mesh.Delivery.Outcome {
    fileprivate init(_ engine: MeshDelivery) {
        self =
            switch engine {
            case .linked: .linked
            case .relayed(let relay): .relayed(through: PeerID(relay))
            case .notSubscribed(let condition): .notSubscribed(condition)
            case .filtered: .filtered
            case .notShared: .notShared
            case .noRelay: .noRelay
            case .offline: .offline
            case .incompatible: .incompatible
            }
    }
}
