import Dispatch
import DivanCrypto
import DivanDatabase
import DivanRevisions
import Foundation

/// The result of `Database.repair(from:)`.
///
/// An addition to the official API.
public struct DatabaseRepair: Sendable, Equatable {
    /// Documents and blobs that were restored.
    public let restoredCount: Int
    /// A line for each item that is still damaged or missing; empty when the database is intact.
    ///
    /// These are items that the peer does not have, or that are not documents.
    public let remaining: [String]
    /// A line for each lost unpushed revision, which was replaced by the peer's current revision.
    public let lostRevisions: [String]
    /// Whether the file itself is damaged; if so, use ``Database/rebuild(withName:withConfig:from:)``.
    public let needsRebuild: Bool
}

extension DatabaseRepair {
    fileprivate init(_ restoration: Restoration, remaining damages: [Damage]) {
        restoredCount = restoration.restoredCount
        remaining = damages.map { damage in
            damage.description + (damage.isOfFile ? "; rebuild the database" : "")
        }
        lostRevisions = restoration.lostRevisions.map { lost in
            "document \"\(lost.name.documentID)\" in \(lost.name.collection): "
                + "revision \(lost.revisionID)"
        }
        needsRebuild = damages.contains(where: \.isOfFile)
    }
}

extension Damage {
    /// Whether the file is damaged, rather than a document or a blob in it.
    fileprivate var isOfFile: Bool { part == .structure || part == .values }
}

extension Database {
    /// Downloads damaged documents and blobs from a peer; blocks until done.
    ///
    /// Checks the whole database, pulls only the damaged documents into a temporary database, and replaces the damaged
    /// ones. Intact documents do not change. If the peer does not have a document, the damaged one stays. Other
    /// replicators keep their progress. Call it on any thread that the peer does not need.
    ///
    /// An addition to the official API.
    ///
    /// - Parameter configuration: How to connect to the peer, as for a pull. Of the collection settings, only the
    ///   channels are used. Only its collections are repaired.
    /// - Returns: What was repaired, and what is still damaged.
    /// - Throws: `CBLError.notOpen`, the error that ended the pull, and disk errors; the database is then unchanged.
    public func repair(from configuration: ReplicatorConfiguration) throws -> DatabaseRepair {
        let store = try openStore()
        return try translatingErrors {
            let inspection = try store.inspect()
            guard !inspection.damages.isEmpty else {
                return DatabaseRepair(Restoration(), remaining: [])
            }
            let wanted = try store.wantedDocuments(for: inspection)
            let restoration = try withFetched(wanted, configuration) { source in
                try store.restore(inspection, from: source)
            }
            return DatabaseRepair(restoration, remaining: try store.inspect().damages)
        }
    }

    /// Downloads damaged documents and blobs from a peer, like ``repair(from:)``, for `async` code.
    ///
    /// - Throws: The same errors as ``repair(from:)``.
    public func repair(from configuration: ReplicatorConfiguration) async throws -> DatabaseRepair {
        // Not on the queue of `inBackground`: the code that fetches credentials may wait for that queue.
        let queue = DispatchQueue(label: "divan.repair")
        return try await inBackground(on: queue) { () throws -> DatabaseRepair in
            try self.repair(from: configuration)
        }
    }

    /// Pulls documents into a separate database, which is deleted afterwards.
    private func withFetched<Result>(
        _ wanted: [Damage.DocumentName],
        _ configuration: ReplicatorConfiguration,
        _ body: (Store) throws -> Result
    ) throws -> Result {
        var settings = DatabaseConfiguration()
        settings.directory = FileManager.default.temporaryDirectory.path
        // Nobody else opens it, and its content may be secret.
        if self.store.isSealed {
            settings.encryptionKey = .key(Data(SystemRandomSource().bytes(32)))
        }
        let aside = try Database(name: "divan-repair-\(UUID().uuidString)", config: settings)
        defer { try? aside.delete() }
        let store = try aside.openStore()
        var pull = configuration
        pull.replicatorType = .pull
        pull.continuous = false
        try pull.redirect(to: aside, wanting: wanted)
        if !pull.collections.isEmpty { try Replicator(config: pull).runBlocking() }
        return try body(store)
    }
}

extension ReplicatorConfiguration {
    /// Replaces the collections with those of another database, limited to the wanted documents of each.
    fileprivate mutating func redirect(
        to database: Database,
        wanting wanted: [Damage.DocumentName]
    ) throws {
        let before = collectionConfigs
        for collection in collections { removeCollection(collection) }
        for entry in before {
            guard let collection = entry.collection,
                let path = CollectionPath(scope: collection.scope.name, name: collection.name)
            else { continue }
            let documentIDs = wanted.filter { $0.collection == path }.map(\.documentID.text)
            guard !documentIDs.isEmpty else { continue }
            let copy =
                collection.isDefault
                ? try database.defaultCollection()
                : try database.createCollection(
                    name: collection.name,
                    scope: collection.scope.name
                )
            // A pull into a collection that never held anything skips deletions.
            let first = MutableDocument(id: "first")
            try copy.save(document: first)
            try copy.purge(document: first)
            var fetched = CollectionConfiguration(collection: copy)
            fetched.channels = entry.channels
            fetched.documentIDs = documentIDs
            addCollection(copy, config: fetched)
        }
    }
}

extension Replicator {
    /// Runs once, on its own queues; returns how many documents arrived.
    @discardableResult
    func runBlocking() throws -> UInt64 {
        let stopped = DispatchSemaphore(value: 0)
        let queue = DispatchQueue(label: "divan.repair")
        let token = addChangeListener(withQueue: queue) { change in
            if change.status.activity == .stopped { stopped.signal() }
        }
        defer { token.remove() }
        start(reset: true)
        try LongWork.waiting(ending: stop) { stopped.wait() }
        if let error = status.error { throw error }
        return statistics.pulledDocumentCount
    }
}
