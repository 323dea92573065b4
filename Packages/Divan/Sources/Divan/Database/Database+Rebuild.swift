import DivanQuery
import DivanStore
import Foundation

/// What ``Database/rebuild(withName:withConfig:from:)`` did.
///
/// An addition to the official API.
public struct DatabaseRebuild: Sendable, Equatable {
    /// Documents that could be read and were kept, including deletions.
    public let keptCount: Int
    /// Documents that came from the peer, including deletions.
    public let fetchedCount: Int
    /// A line for each item that neither the file nor the peer had: documents by ID, and the number of those whose IDs
    /// cannot be read either.
    ///
    /// It does not list a never-pushed revision whose page cannot be read if the peer has the document.
    public let losses: [String]
    /// Whether the names of all its collections could be read.
    ///
    /// Collections whose names were lost were not recreated: create them, and pull if the peer has them.
    public let knowsCollections: Bool
    /// The directory where the damaged database is now; delete it once you miss nothing.
    public let damagedPath: String
}

extension Database {
    /// Rebuilds a database whose file is damaged or cannot be opened at all; blocks until it is done.
    ///
    /// Carries over what can be read, pulls everything else from a peer, and, once the new database is complete,
    /// replaces the old one with it in one step; the old one stays next to it. Documents keep their revisions,
    /// including those never pushed, and conflicts stay open; what was purged here comes back if the peer has it.
    /// Replications compare everything once afterwards. Indexes are created again; those whose description cannot be
    /// read are among the losses. `repair(from:)` is enough, and changes less, if only documents and blobs are damaged.
    ///
    /// ```swift
    /// let rebuild = try Database.rebuild(withName: "travel") { travel in
    ///     let all = [CollectionConfiguration(collection: try travel.defaultCollection())]
    ///     return ReplicatorConfiguration(collections: all, target: URLEndpoint(url: hub))
    /// }
    /// print(rebuild.keptCount, rebuild.fetchedCount, rebuild.losses)
    /// ```
    ///
    /// An addition to the official API.
    ///
    /// - Parameters:
    ///   - name: The database's name; it must not be open anywhere.
    ///   - config: As for opening it; `nil` means the default directory.
    ///   - configure: Receives the new database, and returns which of its collections to pull and from where.
    ///     Direction, `continuous` and checkpoints are set for you.
    /// - Returns: What was kept, fetched and lost.
    /// - Throws: `CBLError.notFound` when no database has that name, `busy` while it is open, the error that ended the
    ///   pull, what `configure` throws, and what the disk reports. The database is then unchanged.
    public static func rebuild(
        withName name: String,
        withConfig config: DatabaseConfiguration? = nil,
        from configure: (Database) throws -> ReplicatorConfiguration
    ) throws -> DatabaseRebuild {
        let config = config ?? DatabaseConfiguration()
        let location = try DatabaseLocation(name: name, directory: config.directory)
        let unfinished = location.neighbour(named: "rebuilding")
        let kept = { (number: Int) in
            location.neighbour(named: number == 1 ? "damaged" : "damaged-\(number)").bundlePath
        }
        var (fetched, remaining): (UInt64, [String]) = (0, [])
        let salvage = try translatingErrors {
            try Store.rebuild(
                directory: location.bundlePath,
                by: unfinished.bundlePath,
                keepingOldAt: kept,
                options: try config.storeOptions(),
                completing: { salvage in
                    let fresh = try Database(name: unfinished.name, config: config)
                    defer { try? fresh.close() }
                    (fetched, remaining) = try fresh.complete(from: try configure(fresh))
                    try fresh.makeIndexes(salvage.indexes)
                }
            )
        }
        return DatabaseRebuild(
            keptCount: salvage.documentCount,
            fetchedCount: Int(clamping: fetched),
            losses: salvage.losses + remaining,
            knowsCollections: salvage.knowsCollections,
            damagedPath: salvage.oldDirectory + "/"
        )
    }

    /// Pulls what is still missing, then blobs that could not be carried over.
    private func complete(
        from configuration: ReplicatorConfiguration
    ) throws -> (fetched: UInt64, remaining: [String]) {
        var pull = configuration
        pull.replicatorType = .pull
        pull.continuous = false
        // A rebuild must not resolve conflicts with revisions that were never pushed.
        for var entry in pull.collectionConfigs {
            guard let collection = entry.collection else { continue }
            entry.conflictResolver = ConflictResolver.leaveOpen
            pull.addCollection(collection, config: entry)
        }
        var (fetched, remaining): (UInt64, [String]) = (0, [])
        var known = configuration
        do {
            fetched = try Replicator(config: pull).runBlocking()
        } catch  where Self.isUnknownCollection(error) && pull.collections.count > 1 {
            // Damage may have changed a name; the other collections must still be pulled.
            for entry in pull.collectionConfigs {
                guard let collection = entry.collection else { continue }
                do {
                    fetched += try Replicator(config: pull.limited(to: entry)).runBlocking()
                } catch  where Self.isUnknownCollection(error) {
                    known.removeCollection(collection)
                    remaining.append(
                        "collection \(collection.qualifiedName): not found on the peer, so nothing "
                            + "was pulled"
                    )
                }
            }
        }
        return (fetched, remaining + (try repair(from: known).remaining))
    }

    /// Creates the indexes that the damaged database had, except for those that cannot be created.
    private func makeIndexes(
        _ indexes: [(collection: CollectionPath, index: StoredIndex)]
    ) throws {
        let store = try openStore()
        for (path, index) in indexes {
            do {
                try store.write { try $0.createIndex(like: index, in: path) }
            } catch is QueryError {
                continue
            }
        }
    }

    /// Whether the error is a peer's answer that it has no collection of that name.
    private static func isUnknownCollection(_ error: any Error) -> Bool {
        // The pattern `as NSError` stops the program for a native Swift error.
        guard let known = (error as Any) as? NSError else { return false }
        return known.domain == CBLError.domain && known.code == CBLError.httpNotFound
    }
}

extension ReplicatorConfiguration {
    /// This configuration limited to one of its collections.
    fileprivate func limited(to entry: CollectionConfiguration) -> ReplicatorConfiguration {
        var single = self
        for collection in single.collections { single.removeCollection(collection) }
        if let collection = entry.collection { single.addCollection(collection, config: entry) }
        return single
    }
}
