@_spi(Modern) internal import CouchbaseLiteSwift
internal import DivanDatabase
internal import DivanRevisions
public import Foundation

extension DocumentCollection {
    // MARK: Documents

    /// Saves a document, even if it was changed or deleted since it was read: the last write wins.
    ///
    /// - Returns: The document with its new revision.
    /// - Throws: ``DivanError/Code/invalidArgument`` for an invalid ID or a reserved property name (`_id`, `_rev`,
    ///   `_deleted`); `encodingFailed` for NaN and infinity; `tooLarge`; `readOnly`; `notOpen`; `diskFull`.
    @discardableResult
    public func save(_ document: Document) throws -> Document {
        let stored = try store(document.written(), document.id, over: .current)
        return Document(stored, in: database.official)
    }

    /// Saves a document unless it was changed since a revision.
    ///
    /// ```swift
    /// try notes.save(doc, ifRevision: doc.revision)
    /// ```
    ///
    /// - Parameters:
    ///   - document: The document.
    ///   - revision: The revision that must be current; `nil` if the document must not exist yet.
    /// - Returns: The document with its new revision.
    /// - Throws: ``DivanError/Code/conflict`` if another revision is current; the same errors as `save(_:)`.
    @discardableResult
    public func save(
        _ document: Document,
        ifRevision revision: Revision?
    ) throws -> Document {
        let parent = ExpectedParent.revision(revision?.revisionID)
        let stored = try store(document.written(), document.id, over: parent)
        return Document(stored, in: database.official)
    }

    // MARK: Models

    /// Saves a model under its ID, even if the document was changed since: the last write wins.
    ///
    /// Any `Codable` struct with an `id` is a model. Properties of the stored document that the model does not have are
    /// kept, also in nested structs; arrays and dictionaries are replaced. Properties that are `nil` are removed. Dates
    /// are stored as ISO 8601 strings and `Data` as blobs, and the `id` is the document's ID, not a property.
    ///
    /// - Returns: The new revision.
    /// - Throws: ``DivanError/Code/encodingFailed`` if the model cannot be encoded; otherwise as for a document.
    @discardableResult
    public func save<Model: Codable & Identifiable>(
        _ model: Model
    ) throws -> Revision where Model.ID: LosslessStringConvertible {
        try save(model, id: String(model.id), isIdentified: true)
    }

    /// Saves a model under its UUID; see ``save(_:)``.
    ///
    /// - Throws: The same errors as for other models.
    @discardableResult
    public func save<Model: Codable & Identifiable>(
        _ model: Model
    ) throws -> Revision where Model.ID == UUID {
        try save(model, id: model.id.uuidString, isIdentified: true)
    }

    /// Saves a model under an ID.
    ///
    /// For types without an `id`; otherwise the same as saving a model with one.
    ///
    /// - Throws: The same errors as for other models.
    @discardableResult
    public func save<Model: Codable>(_ model: Model, id: String) throws -> Revision {
        try save(model, id: id, isIdentified: model is any Identifiable)
    }

    /// Saves a model under its ID unless its document was changed since a revision.
    ///
    /// ```swift
    /// let revision = try notes.save(note)
    /// try notes.save(changed, ifRevision: revision)
    /// ```
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - revision: The revision that must be current; `nil` if the document must not exist yet.
    /// - Returns: The new revision.
    /// - Throws: ``DivanError/Code/conflict`` if another revision is current; the same errors as for other models.
    @discardableResult
    public func save<Model: Codable & Identifiable>(
        _ model: Model,
        ifRevision revision: Revision?
    ) throws -> Revision where Model.ID: LosslessStringConvertible {
        try save(model, id: String(model.id), isIdentified: true, over: revision)
    }

    /// Saves a model under its UUID unless its document was changed since a revision.
    ///
    /// - Throws: ``DivanError/Code/conflict`` if another revision is current; the same errors as for other models.
    @discardableResult
    public func save<Model: Codable & Identifiable>(
        _ model: Model,
        ifRevision revision: Revision?
    ) throws -> Revision where Model.ID == UUID {
        try save(model, id: model.id.uuidString, isIdentified: true, over: revision)
    }

    /// Saves a model under an ID unless the document was changed since a revision.
    ///
    /// - Throws: ``DivanError/Code/conflict`` if another revision is current; the same errors as for other models.
    @discardableResult
    public func save<Model: Codable>(
        _ model: Model,
        id: String,
        ifRevision revision: Revision?
    ) throws -> Revision {
        try save(model, id: id, isIdentified: model is any Identifiable, over: revision)
    }

    /// Changes a document: reads it, calls `change`, and saves it; again if it was changed in the meantime.
    ///
    /// Saves nothing if `change` leaves the document as it was.
    ///
    /// - Parameters:
    ///   - id: The document's ID.
    ///   - initial: The document to change if it does not exist; with `nil`, the call fails.
    ///   - change: Changes the document; may be called several times.
    /// - Returns: The document as saved.
    /// - Throws: ``DivanError/Code/notFound``; errors thrown by `change`, unchanged, after which nothing is saved; the
    ///   same errors as `save(_:)`.
    @discardableResult
    public func update(
        _ id: String,
        default initial: @autoclosure () -> Document? = nil,
        _ change: (inout Document) throws -> Void
    ) throws -> Document {
        try retrying(id) { stored in
            let found = stored.map { Document($0, in: database.official) } ?? initial()
            guard var document = found else { throw notFound(id) }
            try change(&document)
            let body = try document.written()
            if let stored, body.changesNothing(in: stored) {
                return Document(stored, in: database.official)
            }
            let parent = ExpectedParent.revision(stored?.revisionID)
            guard case .saved(let saved) = try outcome(of: body, id, over: parent)
            else { return nil }
            return Document(saved, in: database.official)
        }
    }

    /// Changes a model: reads it, calls `change`, and saves it; again if it was changed in the meantime.
    ///
    /// Properties that the model does not have are kept, as by `save(_:)`. Saves nothing if `change` leaves the document
    /// as it was.
    ///
    /// - Parameters:
    ///   - id: The document's ID.
    ///   - type: The type.
    ///   - initial: The model to change if the document does not exist; with `nil`, the call fails.
    ///   - change: Changes the model; may be called several times.
    /// - Returns: The model as saved.
    /// - Throws: ``DivanError/Code/notFound``; `decodingFailed`; errors thrown by `change`, unchanged, after which
    ///   nothing is saved; the same errors as `save(_:)`.
    @discardableResult
    public func update<Model: Codable>(
        _ id: String,
        as type: Model.Type = Model.self,
        default initial: @autoclosure () -> Model? = nil,
        _ change: (inout Model) throws -> Void
    ) throws -> Model {
        try retrying(id) { stored in
            let read = ReadKeys()
            let found = try stored.map { try decode(type, $0, read) } ?? initial()
            guard var model = found else { throw notFound(id) }
            try change(&model)
            let output = try encode(model, id: id, isIdentified: type is any Identifiable.Type)
            if let stored { try keepUnknown(of: stored, in: output, type, read) }
            let body = try WrittenBody(output.members, output.contents, place: place(of: id))
            if let stored, body.changesNothing(in: stored) { return model }
            let parent = ExpectedParent.revision(stored?.revisionID)
            guard case .saved = try outcome(of: body, id, over: parent) else { return nil }
            return model
        }
    }

    // MARK: Deleting

    /// Deletes a document; the deletion is synced.
    ///
    /// - Returns: Whether it existed.
    /// - Throws: ``DivanError/Code/readOnly``; `notOpen`; file system errors.
    @discardableResult
    public func delete(_ id: String) throws -> Bool {
        let path = path
        return try DivanError.converting(place: place(of: id)) {
            try official.writeStore { writer in
                let id = StoredID(unchecked: id)
                guard try writer.outline(of: id, in: path) != nil else { return false }
                _ = try writer.save(LocalRevision(deleting: id), in: path)
                return true
            }
        }
    }

    /// Deletes a document unless it was changed since a revision; the deletion is synced.
    ///
    /// - Throws: ``DivanError/Code/conflict`` if another revision is current, or the document is deleted; the same
    ///   errors as `delete(_:)`.
    public func delete(_ id: String, ifRevision revision: Revision) throws {
        let path = path
        try DivanError.converting(place: place(of: id)) {
            let parent = ExpectedParent.revision(revision.revisionID)
            let deletion = LocalRevision(deleting: StoredID(unchecked: id), over: parent)
            guard case .saved = try official.writeStore({ try $0.save(deletion, in: path) }) else {
                throw conflict(id)
            }
        }
    }

    /// Removes a document and its history from this database only; this is not synced.
    ///
    /// - Returns: Whether it existed.
    /// - Throws: The same errors as `delete(_:)`.
    @discardableResult
    public func purge(_ id: String) throws -> Bool {
        let path = path
        return try DivanError.converting(place: place(of: id)) {
            try official.writeStore { try $0.purge(StoredID(unchecked: id), in: path) }
        }
    }
}
