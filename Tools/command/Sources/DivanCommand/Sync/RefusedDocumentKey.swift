import CouchbaseLiteSwift

/// A document that a peer refused, or that could not be pulled from it.
struct RefusedDocumentKey: Hashable {
    let collection: CollectionName
    let id: String
    let isPush: Bool

    /// All that the peer of a replicator refused and that have not changed since, and all that could not be pulled.
    static func all(of replicator: Replicator) throws -> Set<RefusedDocumentKey> {
        let type = replicator.config.replicatorType
        return try replicator.config.collections.reduce(into: []) { keys, collection in
            let name = collection.qualifiedName
            if type != .pull {
                for document in try replicator.refusedDocuments(collection: collection) {
                    keys.insert(Self(collection: name, id: document.id, isPush: true))
                }
            }
            if type != .push {
                for document in try replicator.failedPulls(collection: collection) {
                    keys.insert(Self(collection: name, id: document.id, isPush: false))
                }
            }
        }
    }
}

extension SyncTally {
    /// Counts the documents that could not be synced until now; `earlier` are those that were not tried again.
    mutating func count(_ all: Set<RefusedDocumentKey>, earlier: Set<RefusedDocumentKey>) {
        let old = all.intersection(earlier)
        refusedCount = UInt64(all.count(where: \.isPush))
        refusedEarlierCount = UInt64(old.count(where: \.isPush))
        notPulledCount = UInt64(all.count) - refusedCount
        notPulledEarlierCount = UInt64(old.count) - refusedEarlierCount
    }
}
