public import DivanDatabase
import DivanLog
import DivanRevisions
import Foundation

/// A consistent view of a database at one moment, for backups and reports.
///
/// Only valid inside the block of ``Database/withSnapshot(_:)`` and on its thread; afterwards, every call throws
/// `CBLError.notOpen`.
public struct DatabaseSnapshot {
    /// The store's side of the snapshot, which is valid as long as the snapshot.
    @_spi(Stores) public let reader: StoreReader
    private let database: Database

    fileprivate init(_ reader: StoreReader, of database: Database) {
        self.reader = reader
        self.database = database
    }

    /// Returns every collection of every scope.
    public func collections() throws -> [Collection] {
        try translatingErrors { try database.collectionObjects(in: reader) }
    }

    /// Returns the number of documents that are not deleted.
    public func count(of collection: Collection) throws -> UInt64 {
        UInt64(try translatingErrors { try reader.count(in: collection.path) })
    }

    /// Returns the number of the latest change, like ``Collection/lastSequence``.
    public func lastSequence(of collection: Collection) throws -> UInt64 {
        try translatingErrors { try reader.lastSequence(in: collection.path) }
    }

    /// Calls `body` with each document of a collection, in ascending order of ID, without deleted ones.
    ///
    /// Memory use does not depend on the number of documents. Damaged documents are skipped and logged.
    ///
    /// - Throws: `CBLError.corruptData` if the list itself is damaged; errors thrown by `body`.
    public func forEachDocument(
        of collection: Collection,
        _ body: (Document) throws -> Void
    ) throws {
        try forEachDocument(of: collection, damaged: { _, _ in }, body)
    }

    /// Does the same, and calls `damaged` with the ID and the error of each skipped document.
    public func forEachDocument(
        of collection: Collection,
        damaged: (_ id: String, _ error: any Error) throws -> Void,
        _ body: (Document) throws -> Void
    ) throws {
        // Errors that the blocks throw are not translated.
        var failure: (any Error)?
        func keepingError(_ work: () throws -> Void) throws {
            do {
                try work()
            } catch {
                failure = error
                throw error
            }
        }
        do {
            try reader.forEachDocument(in: collection.path) { documentID, error in
                Journal.database.warning("Skipped a damaged document: \(error)")
                try keepingError { try damaged(documentID.text, NSError(from: error)) }
            } _: { stored in
                try keepingError { try body(Document(stored: stored, collection: collection)) }
            }
        } catch {
            if let failure { throw failure }
            try translatingErrors { throw error }
        }
    }

    /// Calls `body` with each document that was changed or deleted after a sequence, like
    /// ``Collection/changes(since:)``.
    ///
    /// Damaged documents are skipped and logged.
    public func forEachChange(
        of collection: Collection,
        since sequence: UInt64,
        _ body: (ChangedDocument) throws -> Void
    ) throws {
        try forEachChange(of: collection, since: sequence, damaged: { _, _ in }, body)
    }

    /// Does the same, and calls `damaged` with the ID and the error of each skipped document.
    public func forEachChange(
        of collection: Collection,
        since sequence: UInt64,
        damaged: (_ id: String, _ error: any Error) throws -> Void,
        _ body: (ChangedDocument) throws -> Void
    ) throws {
        var pages = reader.changes(in: collection.path, after: sequence)
        while let page = try translatingErrors({ try pages.next() }) {
            for change in page.damaged {
                Journal.database.warning("Skipped a damaged change: \(change.error)")
                try damaged(change.documentID.text, NSError(from: change.error))
            }
            for stored in page.documents { try body(ChangedDocument(stored, in: collection)) }
        }
    }

    /// Makes all commits in the snapshot durable; blocks for one sync of the disk.
    ///
    /// For programs that store ``lastSequence(of:)`` and later request the changes after it. Without
    /// ``DatabaseConfiguration/fullSync``, a power failure can undo the last commits, and later ones would reuse their
    /// numbers.
    ///
    /// - Throws: Disk errors.
    public func makeDurable() throws {
        try translatingErrors { try database.openStore().syncCommits() }
    }
}

extension Database {
    /// Runs `body` with a snapshot of the database, while others can write.
    ///
    /// ```swift
    /// try database.withSnapshot { snapshot in
    ///     for collection in try snapshot.collections() {
    ///         try snapshot.forEachDocument(of: collection) { try backup.add($0) }
    ///     }
    /// }
    /// ```
    ///
    /// Inside ``inBatch(using:)``, on the batch's thread, the snapshot includes all writes of the batch, including
    /// later ones, and ends with the batch. An addition to the official API.
    ///
    /// - Throws: `CBLError.notOpen`; errors thrown by `body`.
    public func withSnapshot<Output>(_ body: (DatabaseSnapshot) throws -> Output) throws -> Output {
        let store = try openStore()
        // Errors that `body` throws are not translated.
        let result: Swift.Result<Output, any Error> = try translatingErrors {
            try store.read { reader in
                // The first read fixes the moment.
                _ = try reader.collections()
                return Swift.Result { try body(DatabaseSnapshot(reader, of: self)) }
            }
        }
        return try result.get()
    }
}
