import Divan

/// Collections that a run makes because its command line names them.
///
/// They go again where the run was in vain: a mistyped name would stay, and every later run over the whole
/// database would ask the peer for it, and be refused.
struct NamedAnew: Sendable {
    private var made: [(name: CollectionName, lastSequence: UInt64)] = []

    /// Makes those of `names` that are missing.
    init(making names: [CollectionName], in database: Database) throws {
        let missing = try names.filter { try database.collection($0) == nil }
        guard !missing.isEmpty else { return }
        var fresh: [Divan.Collection] = []
        // Each transaction that makes one has everybody read the whole schema anew.
        try database.inBatch {
            for name in missing { fresh.append(try database.createCollection(name)) }
        }
        // One that was deleted earlier goes on with its numbers.
        made = try fresh.map { (name: $0.qualifiedName, lastSequence: try $0.lastSequence) }
    }

    /// Deletes those that nobody has used meanwhile.
    func withdraw(from database: Database) {
        for (name, lastSequence) in made {
            // What cannot be looked at or deleted stays: the run tells of an error already.
            guard let collection = try? database.collection(name),
                (try? collection.lastSequence) == lastSequence,
                (try? collection.indexes())?.isEmpty == true
            else { continue }
            try? database.deleteCollection(name: name.name, scope: name.scope)
        }
    }
}
