import DivanDatabase
import DivanLog
import Foundation

extension Collection {
    /// Returns a model, or `nil` when there is no document or it is deleted.
    ///
    /// - Throws: `CBLError.decodingError` when the document does not match the type; `invalidParameter` when the type
    ///   has no `DocumentID` property; `notOpen`.
    public func document<T: DocumentDecodable>(id: String, as type: T.Type) throws -> T? {
        try document(id: id).map { try ModelDecoder.decode(type, from: $0) }
    }

    /// Saves a model; overwrites other changes (last write wins).
    ///
    /// Keys of the document that the model does not have keep the values that they had when it was read, also in nested
    /// objects. The same holds for the type and other properties of a blob that the model reads as `Data`. Arrays are
    /// replaced. A ``WholeDocumentModel`` removes unknown keys. A model that was not read replaces any document with
    /// its ID, without a conflict. Optional properties without a value are written as null, and `Data` as a blob, which
    /// the official SDK rejects.
    ///
    /// A model does not belong to a collection. If it was read or saved in another collection, or its document was
    /// purged, it is saved as a new document.
    ///
    /// - Throws: `CBLError.invalidParameter` unless it has one `DocumentID` property; `notOpen`; otherwise
    ///   `unexpectedError`, as in the official SDK, with the error of `save(document:)` or `encodingError` under
    ///   `NSUnderlyingErrorKey`.
    public func save<T: DocumentEncodable>(from object: T) throws {
        _ = try save(from: object, concurrencyControl: .lastWriteWins)
    }

    /// Saves a model.
    ///
    /// - Returns: `false` if `concurrencyControl` is `.failOnConflict` and the document was changed since `object` was
    ///   read or saved. Nothing is written then.
    /// - Throws: The same errors as ``save(from:)``.
    public func save<T: DocumentEncodable>(
        from object: T,
        concurrencyControl: ConcurrencyControl
    ) throws -> Bool {
        let (id, document) = try mutableDocument(for: object)
        let isSaved = try wrappingErrors("saved", T.self) {
            try save(document: document, concurrencyControl: concurrencyControl)
        }
        if isSaved { id.adopt(document) }
        return isSaved
    }

    /// Saves a model; calls `conflictHandler` if the document was changed since `object` was read or saved.
    ///
    /// The handler edits its first argument, which is `object`, and returns `true` to retry; see
    /// `save(document:conflictHandler:)`.
    ///
    /// - Returns: Whether the model was saved. Also `false` if the stored document does not match the type, or the
    ///   edited model cannot be encoded; the reason is logged.
    /// - Throws: The same errors as ``save(from:)``.
    public func save<T: DocumentCodable>(
        from object: T,
        conflictHandler: @escaping (T, T?) -> Bool
    ) throws -> Bool {
        let (id, document) = try mutableDocument(for: object)
        var unknown = id.unknown
        let isSaved = try wrappingErrors("saved", T.self) {
            try save(document: document) { document, existing in
                do {
                    let other = try existing.map {
                        try ModelDecoder.decodeKnowing(T.self, from: $0)
                    }
                    guard conflictHandler(object, other?.model) else { return false }
                    // The stored document has the newest values of unknown keys.
                    if let other { unknown = other.unknown }
                    document.replaceMembers(with: try self.members(of: object, beside: unknown).1)
                    return true
                } catch {
                    // As in the official SDK; the caller cannot distinguish this from a handler that gives up.
                    Journal.database.warning(
                        "Collection \(self.fullName): document \(user: document.id) was not saved: its "
                            + "conflict cannot be resolved: \(user: error.localizedDescription)"
                    )
                    return false
                }
            }
        }
        if isSaved {
            id.adopt(document)
            id.unknown = unknown
        }
        return isSaved
    }

    /// Deletes the document of a model; overwrites other changes (last write wins).
    ///
    /// - Throws: `CBLError.unexpectedError` if the document does not exist, with `notFound` under
    ///   `NSUnderlyingErrorKey`; the same errors as ``save(from:)``.
    public func delete<T: DocumentEncodable>(for object: T) throws {
        _ = try delete(for: object, concurrencyControl: .lastWriteWins)
    }

    /// Deletes the document of a model.
    ///
    /// - Returns: The same as `delete(document:concurrencyControl:)`.
    /// - Throws: The same errors as ``delete(for:)``.
    public func delete<T: DocumentEncodable>(
        for object: T,
        concurrencyControl: ConcurrencyControl
    ) throws -> Bool {
        let (id, document) = try mutableDocument(for: object)
        let isDeleted = try wrappingErrors("deleted", T.self) {
            try delete(document: document, concurrencyControl: concurrencyControl)
        }
        if isDeleted { id.adopt(document) }
        return isDeleted
    }

    /// Purges the document of a model from this database; this does not replicate.
    ///
    /// Afterwards, the model counts as never saved, and its ID can be changed.
    ///
    /// - Throws: `CBLError.notFound` if the document does not exist; `notOpen`; the same errors as ``save(from:)``.
    public func purge<T: DocumentEncodable>(for object: T) throws {
        let id = try members(of: object, beside: nil).0
        guard let name = id.wrappedValue else {
            throw NSError(
                CBLError.notFound,
                "collection \(fullName): the model has no ID and no document; save it first"
            )
        }
        try purge(id: name)
        // Its document in another collection still exists.
        if let home = id.standing.valid.collection, !isOfOneLife(with: home) { return }
        id.standing = standing(of: nil, after: id)
    }

    private func mutableDocument(
        for object: some DocumentEncodable
    ) throws -> (DocumentID, MutableDocument) {
        _ = try openStore()
        let (id, members): (DocumentID, MutableDictionaryObject)
        do {
            (id, members) = try self.members(of: object, beside: nil)
        } catch let error as NSError where error.code == CBLError.encodingError {
            throw NSError(wrapping: error, reason: error.localizedDescription)
        }
        let document = MutableDocument(
            id: id.wrappedValue,
            members: members,
            standing: standing(of: try state(of: id), after: id)
        )
        return (id, document)
    }

    /// Wraps the errors of `write` as the official SDK does, which writes a model in a batch.
    private func wrappingErrors<Model>(
        _ verb: String,
        _ type: Model.Type,
        _ write: () throws -> Bool
    ) throws -> Bool {
        do {
            return try write()
        } catch {
            throw NSError(
                wrapping: error,
                reason: "collection \(fullName): model of type \(type) was not \(verb): "
                    + error.localizedDescription
            )
        }
    }

    /// The revision that a model stands for here: the one that it was read or saved as, or otherwise the current one.
    ///
    /// `nil` for a new document: there is none with this ID, or the model was read in another collection and the
    /// document's revision differs.
    private func state(of id: DocumentID) throws -> RevisionState? {
        guard let name = id.wrappedValue, let stored = try storedDocument(name) else { return nil }
        let known = id.standing.valid
        guard let state = known.state else {
            return stored.isTombstone ? nil : RevisionState(stored)
        }
        if let home = known.collection, isOfOneLife(with: home) { return state }
        return stored.revisionID == state.revisionID ? RevisionState(stored) : nil
    }

    /// A revision of this collection, or none, to replace what a model stood for.
    private func standing(of state: RevisionState?, after id: DocumentID) -> DocumentState {
        DocumentState(
            state,
            in: state == nil ? nil : self,
            after: id.standing,
            batch: database.file.runningBatch
        )
    }

    /// The members that a model writes, together with `unknown`: by default the keys that it did not read.
    private func members(
        of object: some DocumentEncodable,
        beside unknown: UnknownMembers?
    ) throws -> (DocumentID, MutableDictionaryObject) {
        let (id, members) = try ModelEncoder.encode(object)
        if !(object is any WholeDocumentModel) {
            (unknown ?? id.unknown)?.restore(into: members)
        }
        return (id, members)
    }
}

extension Blob: DocumentOnly {
    static var noun: String { "a Blob" }
}

extension Blob: Codable {
    /// Throws an error unless called by `Collection.document(id:as:)`: other decoders do not support blobs.
    public convenience init(from decoder: any Decoder) throws {
        throw Blob.undecodable(by: decoder)
    }

    /// Throws an error unless called by `Collection.save(from:)`: other encoders do not support blobs.
    public func encode(to encoder: any Encoder) throws {
        throw unencodable(by: encoder)
    }
}
