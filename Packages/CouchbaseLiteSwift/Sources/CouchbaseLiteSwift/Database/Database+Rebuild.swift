import DivanDatabase
import DivanQuery
import Foundation

/// The result of ``Database/rebuild(withName:withConfig:from:)``.
///
/// An addition to the official API.
public struct DatabaseRebuild: Sendable, Equatable {
    /// Documents that were read from the damaged file, including deletions.
    public let keptCount: Int
    /// Documents that were downloaded from the peer, including deletions.
    public let fetchedCount: Int
    /// A line for each item that could not be recovered from the file or the peer: documents by ID, and the number of
    /// documents whose IDs cannot be read.
    ///
    /// Unpushed revisions that cannot be read are not listed if the peer has another revision of the document.
    public let losses: [String]
    /// Whether the names of all collections could be read.
    ///
    /// Collections whose names were lost are not recreated: create them, and pull if the peer has them.
    public let knowsCollections: Bool
    /// The directory of the damaged database; delete it when you no longer need it.
    public let damagedPath: String
}

extension Database {
    /// Rebuilds a database whose file is damaged or cannot be opened; blocks until done.
    ///
    /// Copies everything that can be read into a new database, pulls the rest from a peer, and then replaces the old
    /// database in one step. The old one is kept next to it. Documents keep their revisions, including unpushed ones,
    /// and conflicts stay open. Purged documents are downloaded again if the peer has them. Indexes are recreated;
    /// those whose description cannot be read are listed as losses. The next replication with each peer compares all
    /// documents. If only documents and blobs are damaged, use `repair(from:)`, which changes less.
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
    ///   - name: The database's name; the database must not be open.
    ///   - config: As for opening it; `nil` means the default directory.
    ///   - configure: Receives the new database, and returns a configuration with the collections to pull and the peer.
    ///     Direction, `continuous` and checkpoints are set automatically.
    /// - Returns: What was kept, fetched and lost.
    /// - Throws: `CBLError.notFound` when no database has that name, `busy` while it is open, the error that ended the
    ///   pull, errors thrown by `configure`, and disk errors. The database is then unchanged.
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
