import DivanRevisions
import DivanStore
import Foundation

/// A database as it was at one moment, whatever is written meanwhile, for copies and reports whose parts must be
/// consistent.
///
/// Valid inside the block of ``Database/withSnapshot(_:)``, and only on its thread; afterwards every call throws
/// `CBLError.notOpen`.
public struct DatabaseSnapshot {
    fileprivate let reader: StoreReader
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

    /// Calls `body` with each document of a collection, in ascending order of ID; deleted ones are left out.
    ///
    /// Uses no more memory than `body` keeps. A document that is damaged on disk is skipped and logged.
    ///
    /// - Throws: `CBLError.corruptData` if the list itself is damaged; what `body` throws.
    public func forEachDocument(
        of collection: Collection,
        _ body: (Document) throws -> Void
    ) throws {
        try forEachDocument(of: collection, damaged: { _, _ in }, body)
    }

    /// Does the same, and calls `damaged` with the ID of each document that is skipped, and what is wrong.
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
    /// A document that is damaged on disk is skipped and logged.
    public func forEachChange(
        of collection: Collection,
        since sequence: UInt64,
        _ body: (ChangedDocument) throws -> Void
    ) throws {
        try forEachChange(of: collection, since: sequence, damaged: { _, _ in }, body)
    }

    /// Does the same, and calls `damaged` with the ID of each document that is skipped, and what is wrong.
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

    /// Makes everything that the snapshot shows survive a power cut; blocks for one sync of the disk.
    ///
    /// For programs that keep ``lastSequence(of:)`` and later ask for what came after it: unless each commit is synced
    /// (``DatabaseConfiguration/fullSync``), a power cut may take back the commits of the last seconds, and others then
    /// get their numbers.
    ///
    /// - Throws: The system's error, if the disk refuses.
    public func makeDurable() throws {
        try translatingErrors { try database.openStore().syncCommits() }
    }
}

extension Database {
    /// Lets `body` read the database as it is now; others may write meanwhile.
    ///
    /// ```swift
    /// try database.withSnapshot { snapshot in
    ///     for collection in try snapshot.collections() {
    ///         try snapshot.forEachDocument(of: collection) { try backup.add($0) }
    ///     }
    /// }
    /// ```
    ///
    /// Inside ``inBatch(using:)``, on its thread, it sees what the batch has written, including later writes, and ends
    /// with the batch. An addition to the official API.
    ///
    /// - Throws: `CBLError.notOpen`; what `body` throws.
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
