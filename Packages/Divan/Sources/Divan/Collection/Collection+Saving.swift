import DivanRevisions
import DivanStore
import Foundation

extension Collection {
    /// Saves a document; the last write wins.
    ///
    /// The document object is updated in place: it has the new revision ID and sequence, and can be edited and saved
    /// again. Saving a deleted document restores it. Top-level properties that begin with `_` are not replicated; the
    /// first one is logged as a warning.
    ///
    /// - Throws: `CBLError.badDocID`, `corruptRevisionData` for a top-level key that is reserved (`_id`, `_rev`,
    ///   `_deleted`) or empty, `invalidParameter` for a document or blob of another collection or database, `notFound`
    ///   for one that was read or saved and has since been purged, `notOpen`; what the file system reports.
    public func save(document: MutableDocument) throws {
        _ = try save(document: document, concurrencyControl: .lastWriteWins)
    }

    /// Saves a document.
    ///
    /// - Returns: `false`, with nothing written, when `concurrencyControl` is `.failOnConflict` and the stored document
    ///   is not the revision from which `document` was read.
    /// - Throws: As ``save(document:)``.
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

    /// Saves a document, and asks `conflictHandler` when the stored one is not the revision from which `document` was
    /// read.
    ///
    /// The handler runs on this thread, outside any transaction, with the document being saved and the stored one
    /// (`nil` if deleted). It edits the first and returns `true` to try again, or `false` to give up. It is called
    /// again if the stored document has changed meanwhile.
    ///
    /// - Returns: Whether the document was saved.
    /// - Throws: As ``save(document:)``.
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

    /// Deletes a document: writes a tombstone, which replicates; the last write wins.
    ///
    /// - Throws: `CBLError.notFound` for a document that was never saved or has been purged, `invalidParameter` for one
    ///   of another collection, `notOpen`.
    public func delete(document: Document) throws {
        _ = try delete(document: document, concurrencyControl: .lastWriteWins)
    }

    /// Deletes a document: writes a tombstone, which replicates.
    ///
    /// - Returns: `false`, with nothing written, when `concurrencyControl` is `.failOnConflict` and the stored document
    ///   is not the revision from which `document` was read, even if it is deleted. With `.lastWriteWins`, if the
    ///   document was already deleted elsewhere, nothing is written and the result is `true`; `document` then stands
    ///   for that deletion.
    /// - Throws: As ``delete(document:)``.
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

    /// Forgets a document and its history; this does not replicate, and a pull may bring it back.
    ///
    /// Afterwards the object counts as never saved, but still belongs to this collection.
    ///
    /// - Throws: `CBLError.notFound` for a document that was never saved or has already been purged, `invalidParameter`
    ///   for one of another collection, `notOpen`.
    public func purge(document: Document) throws {
        try requireOwnership(of: document)
        guard document.state != nil else { throw notFoundError(document.id) }
        try purge(id: document.id)
        document.adopt(nil, of: self, in: database.file)
    }

    /// Forgets a document and its history, even if it is deleted.
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
                "Document \(document.id): \(composed.body.count) bytes exceed the sync limit of "
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
            "Document \(document.id) belongs to another collection or Database object; "
                + "use the collection it was read from, or copy its content into a new document"
        )
    }

    func notFoundError(_ id: String) -> NSError {
        NSError(CBLError.notFound, "Collection \(fullName): document \(id) not found; check the ID")
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
                "Document \(id): the stored body is damaged, and saving would overwrite it; "
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
