import DivanMeshPeer
public import Foundation

extension Mesh {
    /// Which other peers this peer accepts.
    ///
    /// Both peers of a link verify each other. Certificates that have expired or are not valid yet are never accepted.
    public struct Trust: Sendable {
        let engineTrust: PeerTrust

        /// Accepts peers whose certificates one of these has signed, or that present one of these.
        public static func roots(_ certificates: [TLSCertificate]) -> Trust {
            Trust(engineTrust: .roots(certificates.map(\.certificate)))
        }

        /// Accepts the peers for which the closure returns true.
        ///
        /// The closure gets the peer's ID and its certificates, its own first. It is called during handshakes, on
        /// threads that also serve other peers: it must return quickly.
        public static func callback(
            _ isAccepted: @escaping @Sendable (PeerID, [TLSCertificate]) -> Bool
        ) -> Trust {
            Trust(
                engineTrust: .callback { peer, chain in
                    ServiceCallback.run {
                        isAccepted(PeerID(peer), chain.map { TLSCertificate($0) })
                    }
                }
            )
        }
    }

    /// What a peer syncs, with which peers, and how it finds them.
    public struct Configuration: Sendable {
        /// The name of the group: 1 to 63 bytes, without control characters and `.`, `,`, `\`.
        ///
        /// It does not appear on the network: peers compare a digest of it.
        public var group: String
        /// The collections, all from one database, with filters and resolvers; two peers sync those that both have.
        public var collections: [MultipeerCollectionConfiguration]
        /// The identity, whose certificate must be usable for servers and clients.
        public var identity: TLSIdentity
        /// Which peers are accepted.
        public var trust: Trust
        /// How peers find each other.
        public var discovery = MeshDiscovery.network
        /// Addresses of other peers, `wss://host:port`, at most 64, for networks where discovery does not reach.
        ///
        /// One running peer is enough: it passes on the addresses of all others.
        public var seeds: [URL] = []
        /// The port to listen on; 0 selects a free one.
        public var port: UInt16 = 0
        /// The name or address of the interface to listen on; `nil` listens on all.
        public var networkInterface: String?

        /// Creates a configuration for the local network.
        ///
        /// - Precondition: `collections` is not empty.
        public init(
            group: String,
            collections: [Collection],
            identity: TLSIdentity,
            trust: Trust
        ) {
            if collections.isEmpty {
                stopForMisuse("Mesh.Configuration: no collections; pass at least one")
            }
            self.group = group
            self.collections = collections.map { MultipeerCollectionConfiguration(collection: $0) }
            self.identity = identity
            self.trust = trust
        }

        var settings: MeshSettings {
            MeshSettings(
                group: group,
                identity: identity,
                trust: trust.engineTrust,
                collections: collections,
                discovery: discovery,
                seeds: seeds,
                port: port,
                networkInterface: networkInterface
            )
        }
    }
}
