@_spi(Modern) internal import CouchbaseLiteSwift
internal import Foundation

/// What a mesh was joined with.
struct MeshSettings: Sendable {
    let group: String
    let database: Database
    let selections: [Sync.Selection]?
    let identity: Identity
    let trust: Mesh.Trust
    let resolver: any ConflictResolver
    let discovery: Discovery
    let seeds: [URL]
    let port: UInt16
    let networkInterface: String?

    /// For errors.
    var place: String { "mesh “\(group)”" }

    /// The configuration of the engine.
    func configuration(
        _ bridge: CallbackBridge
    ) throws -> CouchbaseLiteSwift.Mesh.Configuration {
        let chosen = try currentSelections()
        var configuration = CouchbaseLiteSwift.Mesh.Configuration(
            group: group,
            collections: chosen.map(\.collection.official),
            identity: TLSIdentity(identity.credential),
            trust: trust.official
        )
        configuration.collections = try chosen.map { selection in
            try selection.meshConfiguration(standard: resolver, bridge: bridge)
        }
        configuration.discovery = MeshDiscovery(discovery.source)
        configuration.seeds = seeds
        configuration.port = port
        configuration.networkInterface = networkInterface
        return configuration
    }

    private func currentSelections() throws -> [Sync.Selection] {
        let chosen = try selections ?? database.collections.map { Sync.Selection($0) }
        try database.requireOwn(chosen.map(\.collection), place: place)
        for selection in chosen where !selection.channels.isEmpty {
            throw DivanError(
                .invalidArgument,
                place: place,
                problem:
                    "collection \(selection.collection.name) has channels, which a mesh does not support",
                remedy: "use a filter"
            )
        }
        return chosen
    }
}

extension Sync.Selection {
    fileprivate func meshConfiguration(
        standard: any ConflictResolver,
        bridge: CallbackBridge
    ) throws -> MultipeerCollectionConfiguration {
        var configuration = MultipeerCollectionConfiguration(collection: collection.official)
        configuration.documentIDs = documentIDs.isEmpty ? nil : documentIDs
        configuration.subscription = subscription
        if let filter = try push?.official(bridge) {
            configuration.pushFilter = { _, document, flags in filter(document, flags) }
        }
        if let filter = try pull?.official(bridge) {
            configuration.pullFilter = { _, document, flags in filter(document, flags) }
        }
        let rule = resolver ?? standard
        configuration.conflictResolver =
            (rule as? ConflictRule)?.engineRule
            ?? MeshResolver(
                resolver: OfficialResolver(resolver: rule, collection: collection, bridge: bridge)
            )
        return configuration
    }
}

/// Adapts a resolver to the mesh, which passes the ID of the peer.
private struct MeshResolver: MultipeerConflictResolver, ThrowingConflictResolver {
    let resolver: OfficialResolver

    func attempt<Output>(
        _ conflict: CouchbaseLiteSwift.Conflict,
        with peer: CouchbaseLiteSwift.PeerID?,
        _ use: (CouchbaseLiteSwift.Document?) throws -> Output
    ) throws -> Output {
        try resolver.attempt(conflict, with: peer, use)
    }

    func resolve(
        peerID: CouchbaseLiteSwift.PeerID,
        conflict: CouchbaseLiteSwift.Conflict
    ) -> CouchbaseLiteSwift.Document? {
        BundledConflictResolver.default.resolve(conflict: conflict)
    }
}
