import DivanDatabase
import DivanLog
import DivanRevisions
import Foundation

extension Collection {
    /// Saves a document; overwrites other changes (last write wins).
    ///
    /// The object is updated with the new revision ID and sequence, and can be edited and saved again. Saving a deleted
    /// document restores it. Top-level properties that begin with `_` are not replicated; a warning is logged for the
    /// first one.
    ///
    /// - Throws: `CBLError.badDocID`, `corruptRevisionData` for a top-level key that is reserved (`_id`, `_rev`,
    ///   `_deleted`) or empty, `invalidParameter` for a document or blob of another collection or database, `notFound`
    ///   for a document that was purged in the meantime, `notOpen`; file system errors.
    public func save(document: MutableDocument) throws {
        _ = try save(document: document, concurrencyControl: .lastWriteWins)
    }

    /// Saves a document.
    ///
    /// - Returns: `false` if `concurrencyControl` is `.failOnConflict` and the document was changed since `document`
    ///   was read. Nothing is written then.
    /// - Throws: The same errors as ``save(document:)``.
    public func save(
        document: MutableDocument,
        concurrencyControl: ConcurrencyControl
    ) throws -> Bool {
        let known = document.state?.revisionID
        let expected: ExpectedParent =
            switch concurrencyControl {
            case .lastWriteWins: known == nil ? .current : .existing
            case .failOnConflict: .revision(known)
            }
        switch try store(document, over: expected) {
        case .saved(let stored):
            document.adopt(stored, of: self)
            return true
        case .conflict(nil):
            throw notFoundError(document.id)
        case .conflict:
            return false
        }
    }

    /// Saves a document; calls `conflictHandler` if the document was changed since `document` was read.
    ///
    /// The handler runs on this thread, outside any transaction, with the document being saved and the stored one
    /// (`nil` if deleted). It edits the first and returns `true` to retry, or `false` to give up. It is called again if
    /// the stored document was changed in the meantime.
    ///
    /// - Returns: Whether the document was saved.
    /// - Throws: The same errors as ``save(document:)``.
    public func save(
        document: MutableDocument,
        conflictHandler: @escaping (MutableDocument, Document?) -> Bool
    ) throws -> Bool {
        var expected = ExpectedParent.revision(document.state?.revisionID)
        while true {
            let current: StoredDocument?
            switch try store(document, over: expected) {
            case .saved(let stored):
                document.adopt(stored, of: self)
                return true
            case .conflict(let stored):
                current = stored
            }
            guard let current else { throw notFoundError(document.id) }
            let existing = current.isTombstone ? nil : Document(stored: current, collection: self)
            guard conflictHandler(document, existing) else { return false }
            expected = .revision(current.revisionID)
        }
    }

    /// Deletes a document, even if it was changed since it was read.
    ///
    /// The deletion replicates as a tombstone.
    ///
    /// - Throws: `CBLError.notFound` for a document that was never saved or has been purged, `invalidParameter` for one
    ///   of another collection, `notOpen`.
    public func delete(document: Document) throws {
        _ = try delete(document: document, concurrencyControl: .lastWriteWins)
    }

    /// Deletes a document.
    ///
    /// The deletion replicates as a tombstone.
    ///
    /// - Returns: `false` if `concurrencyControl` is `.failOnConflict` and the document was changed or deleted since
    ///   `document` was read. Nothing is written then. With `.lastWriteWins`, if the document is already deleted,
    ///   nothing is written and the result is `true`.
    /// - Throws: The same errors as ``delete(document:)``.
    public func delete(
        document: Document,
        concurrencyControl: ConcurrencyControl
    ) throws -> Bool {
        // As in the official SDK, before checking whether the collection is open.
        guard let known = document.state else { throw notFoundError(document.id) }
        try requireOwnership(of: document)
        let (path, id) = (path, document.name)
        let outcome = try write { writer -> SaveOutcome in
            guard let current = try writer.document(id, in: path, includingTombstones: true)
            else { throw notFoundError(id.text) }
            let isLastToWin = concurrencyControl == .lastWriteWins
            // It was deleted elsewhere: this object now stands for that tombstone.
            if isLastToWin, current.isTombstone, current.revisionID != known.revisionID {
                return .saved(current)
            }
            let parent: ExpectedParent = isLastToWin ? .current : .revision(known.revisionID)
            return try writer.save(LocalRevision(deleting: id, over: parent), in: path)
        }
        switch outcome {
        case .saved(let stored):
            document.adopt(stored, of: self)
            return true
        case .conflict:
            return false
        }
    }

    /// Purges a document and its history from this database.
    ///
    /// This does not replicate, so a pull can download the document again.
    ///
    /// Afterwards, the object counts as never saved, but still belongs to this collection.
    ///
    /// - Throws: `CBLError.notFound` for a document that was never saved or has already been purged, `invalidParameter`
    ///   for one of another collection, `notOpen`.
    public func purge(document: Document) throws {
        try requireOwnership(of: document)
        guard document.state != nil else { throw notFoundError(document.id) }
        try purge(id: document.id)
        document.adopt(nil, of: self, in: database.file)
    }

    /// Purges a document and its history from this database, even if the document is deleted.
    ///
    /// - Throws: `CBLError.notFound`, `notOpen`.
    public func purge(id: String) throws {
        let (path, name) = (path, StoredID(unchecked: id))
        let wasThere = try write { writer in try writer.purge(name, in: path) }
        guard wasThere else { throw notFoundError(id) }
    }
}

extension Collection {
    /// Stores the content of `document` as a child of `parent`.
    private func store(
        _ document: MutableDocument,
        over parent: ExpectedParent
    ) throws -> SaveOutcome {
        try requireOwnership(of: document)
        // The ID of a stored document was checked before.
        let name =
            document.state == nil
            ? try translatingErrors { try StoredID(checking: document.id) } : document.name
        let composed = try document.encodedBody(for: self)
        // The holds protect new blobs until the document names them.
        defer { withExtendedLifetime(composed.holds) {} }
        let store = try openStore()
        if composed.body.count > StoreLimits.syncedBodyByteCount {
            Journal.database.warning(
                "Document \(user: document.id): \(composed.body.count) bytes exceed the sync limit of "
                    + "\(StoreLimits.syncedBodyByteCount); store large content in blobs"
            )
        }
        let revision = LocalRevision(
            name,
            body: composed.body,
            hasBlobs: composed.hasBlobs,
            over: parent
        )
        let outcome = try translatingErrors {
            try store.save(revision, in: path, numbered: life.number)
        }
        if composed.hasBlobs, case .saved = outcome { document.settleBlobs(in: database) }
        return outcome
    }

    /// - Throws: `CBLError.invalidParameter` when the document belongs to another collection.
    func requireOwnership(of document: Document) throws {
        _ = try openStore()
        guard let home = document.collection, !sharesDocuments(with: home) else { return }
        throw NSError(
            CBLError.invalidParameter,
            "document \(document.id) belongs to another collection or Database object; "
                + "use the collection it was read from, or copy its content into a new document"
        )
    }

    func notFoundError(_ id: String) -> NSError {
        NSError(CBLError.notFound, "collection \(fullName): document \(id) not found; check the ID")
    }
}

extension Document {
    /// The body to store; new blobs go into the collection's database.
    ///
    /// - Throws: As `BodyComposer.compose(_:)`; `CBLError.corruptData` for a copy of a document
    ///   whose stored body is damaged.
    func encodedBody(for collection: Collection) throws -> ComposedBody {
        guard !isDamaged else {
            throw NSError(
                CBLError.corruptData,
                "document \(id): the stored body is damaged, and saving would overwrite it; "
                    + "delete the document, or sync it again"
            )
        }
        var composer = BodyComposer(for: collection.database)
        return try composer.compose(root.members)
    }

    /// Adopts the stored revision.
    fileprivate func adopt(_ stored: StoredDocument, of collection: Collection) {
        adopt(RevisionState(stored), of: collection, in: collection.database.file)
    }
}
