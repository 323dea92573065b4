import DivanDatabase
import DivanListener
import DivanMesh
import DivanMeshPeer
import DivanReplicator
import Foundation

/// What `Mesh` and `MultipeerReplicator` have in common: everything that the runtime needs.
struct MeshSettings: Sendable {
    var group: String
    var identity: TLSIdentity
    var trust: PeerTrust
    var collections: [MultipeerCollectionConfiguration]
    var discovery = MeshDiscovery.network
    var seeds: [URL] = []
    var port: UInt16 = 0
    var networkInterface: String?

    /// The database of the collections.
    var database: Database { collections[0].collection.database }

    /// - Throws: `invalidParameter` for an invalid group or seed, `notOpen` for a closed database or a deleted
    ///   collection, and for collections of several databases.
    func configuration(
        onEvent: @escaping @Sendable (MeshPeerEvent) -> Void
    ) throws -> MeshPeerConfiguration {
        try collections.map(\.collection).requireOpen()
        guard collections.allSatisfy({ $0.collection.database === database }) else {
            throw NSError(
                CBLError.invalidParameter,
                "mesh: collections of several databases; use one Database object for all"
            )
        }
        var result = MeshPeerConfiguration(
            group: try MeshGroup(group),
            credential: identity.credential,
            trust: trust,
            collections: collections.map(\.collection.path)
        )
        result.discovery = discovery.source
        result.seeds = try seeds.map { try Self.address(of: $0) }
        result.port = port
        result.networkInterface = networkInterface
        result.hosts = reachableHosts
        for settings in collections {
            result.subscriptions[settings.collection.path] = settings.subscription
        }
        result.compile = { try Collection.interest(in: $0) }
        result.filtersDocuments = collections.contains(where: \.leavesDocumentsOut)
        let links = MeshLinkSettings(collections)
        result.adjust = { peer, engine in links.adjust(&engine, for: PeerID(peer)) }
        result.resolvers = { peer in links.resolvers(for: PeerID(peer)) }
        result.onEvent = onEvent
        return result
    }

    /// A seed is `wss://host:port`; the path follows from the group.
    private static func address(of seed: URL) throws -> MeshAddress {
        guard seed.scheme == "wss", let host = seed.host, let port = seed.port else {
            throw NSError(
                CBLError.invalidParameter,
                "mesh: invalid seed \(seed.absoluteString.debugDescription); use wss://host:port"
            )
        }
        return try MeshAddress(host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)")
    }

    /// The addresses of this machine for other machines; those that mean something only here come last, or not at all.
    private var reachableHosts: [String] {
        let hosts = ListenerAddresses.hosts(interface: networkInterface)
            .filter { !$0.contains("%") }
        let isLocal: (String) -> Bool = { $0.hasPrefix("127.") || $0 == "[::1]" }
        return hosts.filter { !isLocal($0) } + hosts.filter(isLocal)
    }
}
