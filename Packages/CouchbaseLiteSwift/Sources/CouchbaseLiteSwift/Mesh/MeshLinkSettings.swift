import DivanConflicts
import DivanDatabase
import DivanReplicator
import DivanRevisions

/// The filters, chosen documents and resolvers of a mesh, for each link.
///
/// They apply whichever of the two peers called: what an active peer does not push, a passive one does not let the
/// caller read.
struct MeshLinkSettings: Sendable {
    private let collections: [MultipeerCollectionConfiguration]

    init(_ collections: [MultipeerCollectionConfiguration]) {
        self.collections = collections
    }

    /// Completes the engine's configuration of a link.
    func adjust(_ engine: inout PeerConfiguration, for peer: PeerID) {
        let compression = ReplicationCompression.automatic
        engine.codec = compression.codec
        switch engine.role {
        case .active(var options):
            compression.apply(toActive: &engine, suits: true)
            for index in options.collections.indices {
                adjust(&options.collections[index], for: peer)
            }
            engine.role = .active(options)
        case .passive(var options):
            compression.apply(toPassive: &engine)
            for settings in collections { adjust(&options, settings, for: peer) }
            engine.role = .passive(options)
        }
    }

    private func adjust(_ options: inout PeerConfiguration.CollectionOptions, for peer: PeerID) {
        guard let settings = settings(of: options.path) else { return }
        options.pushFilter = settings.engineFilter(settings.pushFilter, for: peer)
        options.pullFilter = settings.engineFilter(settings.pullFilter, for: peer)
        options.documentIDs = (settings.documentIDs ?? []).map { StoredID(unchecked: $0) }
    }

    private func adjust(
        _ options: inout PeerConfiguration.PassiveOptions,
        _ settings: MultipeerCollectionConfiguration,
        for peer: PeerID
    ) {
        let path = settings.collection.path
        options.readFilters[path] = settings.choosing(
            settings.engineFilter(settings.pushFilter, for: peer)
        )
        options.writeFilters[path] = settings.choosing(
            settings.engineFilter(settings.pullFilter, for: peer)
        )
    }

    /// The resolvers for conflicts with a peer.
    func resolvers(for peer: PeerID) -> [CollectionPath: any DivanConflicts.ConflictResolver] {
        var resolvers: [CollectionPath: any DivanConflicts.ConflictResolver] = [:]
        for settings in collections {
            guard let resolver = settings.conflictResolver else { continue }
            if let bundled = resolver as? BundledConflictResolver {
                resolvers[settings.collection.path] = bundled.engineRule
                continue
            }
            resolvers[settings.collection.path] = DocumentResolver(
                resolver: PeerResolver(resolver: resolver, peer: peer),
                collection: settings.collection
            )
        }
        return resolvers
    }

    private func settings(of path: CollectionPath) -> MultipeerCollectionConfiguration? {
        collections.first { $0.collection.path == path }
    }
}

/// Passes the peer's ID to a resolver.
private struct PeerResolver: ThrowingConflictResolver {
    let resolver: any MultipeerConflictResolver
    let peer: PeerID

    func attempt<Output>(
        _ conflict: Conflict,
        with _: PeerID?,
        _ use: (Document?) throws -> Output
    ) throws -> Output {
        guard let throwing = resolver as? any ThrowingConflictResolver else {
            return try use(resolver.resolve(peerID: peer, conflict: conflict))
        }
        return try throwing.attempt(conflict, with: peer, use)
    }
}

extension MultipeerCollectionConfiguration {
    /// Whether this peer does not send, or does not accept, some documents.
    var leavesDocumentsOut: Bool {
        pushFilter != nil || pullFilter != nil || !(documentIDs ?? []).isEmpty
    }

    /// Whether a document is sent to a peer that wants it.
    func sends(_ document: Document, to peer: PeerID) -> Bool {
        guard documentIDs.map({ $0.isEmpty || $0.contains(document.id) }) ?? true else {
            return false
        }
        return pushFilter?(peer, document, []) ?? true
    }

    /// The engine's form of a filter.
    fileprivate func engineFilter(
        _ filter: MultipeerReplicationFilter?,
        for peer: PeerID
    ) -> DocumentFilter? {
        filter.map { filter in collection.engineFilter { filter(peer, $0, $1) } }
    }

    /// The filter, for the chosen documents only if there are any.
    fileprivate func choosing(_ filter: DocumentFilter?) -> DocumentFilter? {
        guard let documentIDs, !documentIDs.isEmpty else { return filter }
        let chosen = Set(documentIDs.map { StoredID(unchecked: $0) })
        return { revision in
            chosen.contains(revision.documentID) && (filter?(revision) ?? true)
        }
    }
}
