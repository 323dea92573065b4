import DivanDatabase
import DivanMesh
import DivanMeshPeer
import DivanReplicator

extension Mesh {
    /// The status of another peer of a mesh, at one moment.
    public struct Peer: Sendable {
        /// Why two peers are linked.
        public enum LinkReason: String, Sendable {
            /// The next peer on the ring of IDs.
            case ring
            /// One of the peers that the link plan chooses by hashes.
            case hash
            /// The link unites two parts of the mesh.
            case bridge
            /// The address of the peer is a seed.
            case seed
            /// Neither peer needs the link any more; it closes soon.
            case surplus

            init(_ reason: MeshLinkStatus.Reason) {
                self =
                    switch reason {
                    case .ring: .ring
                    case .hash: .hash
                    case .bridge: .bridge
                    case .seed: .seed
                    case .surplus: .surplus
                    }
            }
        }

        /// Its ID.
        public let id: PeerID
        /// Whether it is believed to be running: advertised, linked, or listed by a peer that is.
        public let isOnline: Bool
        /// The link to it; `nil` if documents reach it only through other peers.
        public let link: Link?
        /// The replication with it: `stopped` without a link, with the error that prevents one.
        public let status: Replicator.Status
        /// The known peers that it lists as its neighbours.
        public let neighbors: [PeerID]
        /// Its certificate; `nil` until TLS has verified it.
        public let certificate: TLSCertificate?
        /// Whether its database has the same revision scheme; otherwise it is never linked.
        public let isCompatible: Bool

        /// Whether it subscribes to a part of the documents, or filters them: then it does not pass on all.
        public let isPartial: Bool
        /// Its conditions for documents, by the full names of collections, as of the last link.
        public let subscriptions: [String: String]

        init(_ info: MeshPeerInfo) {
            id = PeerID(info.id)
            isOnline = info.isOnline
            link = info.link.map { Link(isOutgoing: $0.isOutgoing, reason: LinkReason($0.reason)) }
            status = Replicator.Status(info.replication)
            neighbors = info.neighbours.map { PeerID($0) }
            certificate = info.certificate.map { TLSCertificate($0) }
            isCompatible = info.isCompatible
            isPartial = info.isPartial
            subscriptions = Dictionary(
                uniqueKeysWithValues: info.subscriptions.map { ($0.key.description, $0.value) }
            )
        }
    }

    /// A link to another peer.
    public struct Link: Hashable, Sendable {
        /// Whether this peer opened the connection.
        public let isOutgoing: Bool
        /// Why the two are linked.
        public let reason: Peer.LinkReason
    }
}
