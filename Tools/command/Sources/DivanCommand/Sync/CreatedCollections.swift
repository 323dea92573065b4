import CouchbaseLiteSwift

/// Collections that a run creates because its command line names them.
///
/// They are deleted if the run fails: a mistyped collection would remain, and the peer would refuse every later
/// run over the whole database.
struct CreatedCollections: Sendable {
    private var made: [(name: CollectionName, lastSequence: UInt64)] = []

    /// Creates those of `names` that are missing.
    init(making names: [CollectionName], in database: Database) throws {
        let missing = try names.filter { try database.collection($0) == nil }
        guard !missing.isEmpty else { return }
        var fresh: [CouchbaseLiteSwift.Collection] = []
        // After each transaction that creates a collection, all processes read the schema again.
        try database.inBatch {
            for name in missing { fresh.append(try database.createCollection(name)) }
        }
        // One that was deleted earlier continues its sequences.
        made = try fresh.map { (name: $0.qualifiedName, lastSequence: try $0.lastSequence) }
    }

    /// Deletes those that have not been used in the meantime.
    func withdraw(from database: Database) {
        for (name, lastSequence) in made {
            // What cannot be examined or deleted stays: the run reports an error already.
            guard let collection = try? database.collection(name),
                (try? collection.lastSequence) == lastSequence,
                (try? collection.indexes())?.isEmpty == true
            else { continue }
            try? database.deleteCollection(name: name.name, scope: name.scope)
        }
    }
}
