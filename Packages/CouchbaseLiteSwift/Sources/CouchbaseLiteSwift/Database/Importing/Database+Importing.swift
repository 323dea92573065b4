import DivanCBLite
import DivanDatabase
import Foundation

extension Database {
    /// Imports a database of Couchbase Lite 2, 3 or 4; blocks until done.
    ///
    /// Revisions keep their IDs. Documents keep their history, conflicts, blobs, expirations and sequences. The next
    /// replication with a server continues where the last one ended. The old database is not changed; it must not be
    /// open for writing in another process. Damaged items are skipped and reported. If an error is thrown, no database
    /// is created.
    ///
    /// ```swift
    /// let report = try Database.importing(fromPath: "/old/travel.cblite2", toDatabase: "travel")
    /// print(report.documentCount, report.damages)
    /// let travel = try Database(name: "travel")
    /// ```
    ///
    /// An addition to the official API.
    ///
    /// - Parameters:
    ///   - path: The directory `<name>.cblite2` of the old database.
    ///   - name: The name of the new database.
    ///   - config: The directory for the new database; `nil` means the default directory.
    ///   - keepingIdentity: Whether the new database replaces the old one. Pass `false` to keep using both, as after a
    ///     copy; the next replication with each peer then compares all documents.
    /// - Returns: What was imported, and what was damaged.
    /// - Throws: `EEXIST` in `NSPOSIXErrorDomain` when a database of that name exists; `CBLError.unreadableDatabase`,
    ///   `databaseTooNew`, `busy`, `corruptData` or `notFound` for the old database.
    public static func importing(
        fromPath path: String,
        toDatabase name: String,
        withConfig config: DatabaseConfiguration? = nil,
        keepingIdentity: Bool = true
    ) throws -> DatabaseImport {
        let config = config ?? DatabaseConfiguration()
        let target = try DatabaseLocation(name: name, directory: config.directory).bundlePath
        return try translatingErrors {
            let draft = try StoreDraft(of: target, while: "importing")
            let bundle = try naming(path) { () throws(CBLiteError) in
                // Looking at a file that is open here would release its locks.
                guard !Store.isOpen(directory: path) else { throw .divan }
                return try CBLiteBundle(directory: path)
            }
            do {
                let report = try bundle.pour(into: draft.directory, config, keepingIdentity)
                try draft.place()
                return report
            } catch {
                draft.discard()
                throw (error as? CBLiteError).map { ForeignDatabaseError(path: path, $0) } ?? error
            }
        }
    }

    private static func naming<T>(
        _ path: String,
        _ body: () throws(CBLiteError) -> T
    ) throws -> T {
        do throws(CBLiteError) {
            return try body()
        } catch {
            throw ForeignDatabaseError(path: path, error)
        }
    }
}

/// An error about a Couchbase Lite database.
struct ForeignDatabaseError: NumberedError, CustomStringConvertible {
    let path: String
    let cause: CBLiteError

    init(path: String, _ cause: CBLiteError) {
        self.path = path
        self.cause = cause
    }

    var description: String { "\(path): \(cause)" }

    var number: ErrorNumber {
        switch cause {
        case .notABundle, .divan: .divan(CBLError.notFound)
        case .tooOld, .encrypted: .divan(CBLError.unreadableDatabase)
        case .tooNew: .divan(CBLError.databaseTooNew)
        case .inUse: .divan(CBLError.busy)
        case .damaged: .divan(CBLError.corruptData)
        case .scratch(_, let number), .system(let number): .posix(number)
        }
    }
}

extension CBLiteBundle {
    /// Fills a new database.
    fileprivate func pour(
        into directory: String,
        _ config: DatabaseConfiguration,
        _ keepsIdentity: Bool
    ) throws -> DatabaseImport {
        let identity = ForeignIdentity(
            publicUUID: facts.publicUUID,
            privateUUID: facts.privateUUID,
            previousPrivateUUID: facts.previousPrivateUUID,
            scheme: facts.scheme
        )
        var options = try config.storeOptions()
        // The bundle determines the scheme.
        options.scheme = nil
        let store = try Store.create(
            directory: directory,
            replacing: keepsIdentity ? identity : identity.copied(),
            options: options
        )
        var isClosed = false
        defer { if !isClosed { try? store.close() } }
        var report = try BundleImport(self, into: store).run()
        try store.write { writer in
            for remote in facts.remotes {
                try writer.importRemote(remote.address, as: remote.id)
            }
            for former in formerCollections {
                let path = CollectionPath(scope: former.scope, name: former.name)
                if let path { try writer.importEnd(former.lastSequence, of: path) }
            }
            // With a checkpoint, a peer would never again offer what is lost here and it still has.
            if report.lostCount == 0, damage == nil { try carryCheckpoints(to: writer, &report) }
        }
        isClosed = true
        try store.close()
        return report
    }

    private func carryCheckpoints(
        to writer: StoreWriter,
        _ report: inout DatabaseImport
    ) throws {
        report.remotes = facts.remotes.map(\.address)
        for checkpoint in try checkpoints() {
            try writer.importCheckpoint(checkpoint.id, checkpoint.body)
            report.checkpointCount += 1
        }
        for checkpoint in try peerCheckpoints() {
            let revision = checkpoint.revision ?? "1-cc"
            try writer.importPeerCheckpoint(checkpoint.id, revision: revision, checkpoint.body)
            report.checkpointCount += 1
        }
    }
}
