import Divan

/// A document that a peer refused.
struct RefusedDocumentKey: Hashable {
    let collection: CollectionName
    let id: String

    /// All that the peer of a replicator refused and that have not changed since.
    static func all(of replicator: Replicator) throws -> Set<RefusedDocumentKey> {
        try replicator.config.collections.reduce(into: []) { places, collection in
            for document in try replicator.refusedDocuments(collection: collection) {
                places.insert(
                    RefusedDocumentKey(collection: collection.qualifiedName, id: document.id)
                )
            }
        }
    }
}
