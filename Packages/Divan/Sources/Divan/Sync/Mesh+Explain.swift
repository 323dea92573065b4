@_spi(Modern) internal import CouchbaseLiteSwift

extension Mesh {
    /// Whether and how a document reaches another peer, as far as this peer knows.
    public struct Delivery: Sendable, Hashable {
        /// What happens to the document.
        public enum Outcome: Sendable, Hashable {
            /// It is sent over the link between the two peers.
            case linked
            /// It is sent to this peer, and from there over peers that carry everything.
            ///
            /// The last of them sends it if the peer has subscribed to it.
            case relayed(through: PeerID)
            /// The peer has not subscribed to it: this is its condition.
            case notSubscribed(String)
            /// A filter of this peer, or its list of documents, leaves it out, for the peer or for all linked ones.
            case filtered
            /// The peer does not sync the collection.
            case notShared
            /// No known way leads over peers that carry everything; the document waits for one.
            case noRelay
            /// The peer is offline; the document waits.
            case offline
            /// The databases name revisions in different ways.
            case incompatible
        }

        /// The other peer.
        public let peer: PeerID
        /// What happens to the document.
        public let outcome: Outcome

        init(_ official: CouchbaseLiteSwift.Mesh.Delivery) {
            peer = PeerID(official.peer)
            outcome =
                switch official.outcome {
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

    /// Returns how a document reaches each known peer, in the order of their IDs; empty after this peer has left.
    ///
    /// This peer knows the collections and conditions of the peers to which it is or was linked since it joined, and of
    /// the others only whether they carry everything. Filters of other peers are not considered.
    ///
    /// - Throws: ``DivanError/Code/notFound`` if the document does not exist, ``DivanError/Code/invalidArgument`` if the
    ///   mesh does not sync the collection, ``DivanError/Code/notOpen``.
    public func explain(
        _ documentID: String,
        in collection: DocumentCollection
    ) throws -> [Delivery] {
        try DivanError.converting(place: collection.place) {
            try official.explain(documentID: documentID, in: collection.official)
                .map { Delivery($0) }
        }
    }
}
