import CouchbaseLiteSwift

struct TagsOfBoth: ConflictResolverProtocol {
    func resolve(conflict: Conflict) -> Document? {
        // nil: deleted on that side. Never nil on both sides.
        guard let mine = conflict.localDocument, let theirs = conflict.remoteDocument else {
            return nil
        }
        let merged = theirs.toMutable()
        let tags = [mine, theirs].flatMap { $0.array(forKey: "tags")?.toArray() as? [String] ?? [] }
        // Sorted, so that every peer gets the same result.
        return merged.setValue(Array(Set(tags)).sorted(), forKey: "tags")
    }
}

struct EditsOverDeletions: ConflictResolverProtocol {
    func resolve(conflict: Conflict) -> Document? {
        switch (conflict.localDocument, conflict.remoteDocument) {
        case (let mine?, nil): mine
        case (nil, let theirs?): theirs
        default: ConflictResolver.default.resolve(conflict: conflict)
        }
    }
}

func replicator(
    of collection: Collection,
    with other: Database,
    resolving resolver: any ConflictResolverProtocol
) -> Replicator {
    var entry = CollectionConfiguration(collection: collection)
    entry.conflictResolver = resolver
    return Replicator(
        config: ReplicatorConfiguration(
            collections: [entry],
            target: DatabaseEndpoint(database: other)
        )
    )
}

func saveCarefully(_ note: MutableDocument, in notes: Collection) throws -> Bool {
    try notes.save(document: note) { mine, stored in
        // nil: deleted since it was read. Returning false keeps it deleted.
        guard let stored else { return false }
        mine.setString(stored.string(forKey: "title"), forKey: "title")
        return true
    }
}
