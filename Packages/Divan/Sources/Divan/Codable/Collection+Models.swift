import DivanStore
import Foundation

extension Collection {
    /// Returns a model, or `nil` when there is no document or it is deleted.
    ///
    /// - Throws: `CBLError.decodingError` when the document does not fit the type; `invalidParameter`
    ///   when the type has no `DocumentID` property; `notOpen`.
    public func document<T: DocumentDecodable>(id: String, as type: T.Type) throws -> T? {
        try document(id: id).map { try ModelDecoder.decode(type, from: $0) }
    }

    /// Saves a model; the last write wins.
    ///
    /// Keys of the document that a model did not ask for when it was read stay as they were then,
    /// those of objects inside it too, and so do the type and further properties of a blob whose content
    /// a model holds as `Data`; elements of arrays are written as the model holds them. A
    /// class that is a ``WholeDocumentModel`` drops them. A model that was not read replaces the
    /// document that stands under its ID, be there one, without a conflict. Optional properties
    /// without a value are written as null, `Data` as a blob, which the official SDK refuses.
    ///
    /// A model is of no collection: one that was read or saved elsewhere is saved here as a new one,
    /// and so is one whose document is purged.
    ///
    /// - Throws: `CBLError.invalidParameter` unless it has one `DocumentID` property; `notOpen`; for all
    ///   else `unexpectedError`, as officially: what `save(document:)` throws, or `encodingError`, stands
    ///   under `NSUnderlyingErrorKey`.
    public func save<T: DocumentEncodable>(from object: T) throws {
        _ = try save(from: object, concurrencyControl: .lastWriteWins)
    }

    /// Saves a model.
    ///
    /// - Returns: `false`, and nothing is written, when `concurrencyControl` is `.failOnConflict`
    ///   and the stored document is not the revision that `object` was read or saved as.
    /// - Throws: As ``save(from:)``.
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

    /// Saves a model, and asks `conflictHandler` when the stored document is not the revision that
    /// `object` was read or saved as.
    ///
    /// The handler edits its first argument, which is `object`, and returns `true` to try again;
    /// see `save(document:conflictHandler:)`.
    ///
    /// - Returns: Whether the model was saved. `false` also where the stored document does not fit the
    ///   type, or the edited model cannot be encoded; the log says why.
    /// - Throws: As ``save(from:)``.
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
                    // What no model knows is newest in the stored document.
                    if let other { unknown = other.unknown }
                    document.replaceMembers(with: try self.members(of: object, beside: unknown).1)
                    return true
                } catch {
                    // As officially; the caller cannot tell it from a handler that gives up.
                    Journal.database.warning(
                        "Collection \(self.fullName): document \(document.id) was not saved, its "
                            + "conflict cannot be resolved: \(error.localizedDescription)"
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

    /// Deletes the document of a model; the last write wins.
    ///
    /// - Throws: `CBLError.unexpectedError` when there is no document of the model's ID, with `notFound`
    ///   under `NSUnderlyingErrorKey`; as ``save(from:)``.
    public func delete<T: DocumentEncodable>(for object: T) throws {
        _ = try delete(for: object, concurrencyControl: .lastWriteWins)
    }

    /// Deletes the document of a model.
    ///
    /// - Returns: As `delete(document:concurrencyControl:)`.
    /// - Throws: As ``delete(for:)``.
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

    /// Forgets the document of a model; this does not replicate.
    ///
    /// The model counts as never saved then, and may get another ID.
    ///
    /// - Throws: `CBLError.notFound` when there is no document of the model's ID, `notOpen`;
    ///   as ``save(from:)``.
    public func purge<T: DocumentEncodable>(for object: T) throws {
        let id = try members(of: object, beside: nil).0
        guard let name = id.wrappedValue else {
            throw NSError(
                CBLError.notFound,
                "Collection \(fullName): the model has no ID, so there is no document; save it first"
            )
        }
        try purge(id: name)
        // What it stands for in another collection is there still.
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

    /// Gives what `write` throws the form that it has officially, where a model is written in a batch.
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
                reason: "Collection \(fullName): a \(type) was not \(verb): "
                    + error.localizedDescription
            )
        }
    }

    /// The revision that a model stands for here: the one that it was read or saved as, or, when it
    /// never was, the current one.
    ///
    /// `nil` for a new document: there is none of this ID, or the model was read in a collection
    /// whose document is at another revision.
    private func state(of id: DocumentID) throws -> RevisionState? {
        guard let name = id.wrappedValue, let stored = try storedDocument(name) else { return nil }
        let known = id.standing.valid
        guard let state = known.state else {
            return stored.isTombstone ? nil : RevisionState(stored)
        }
        if let home = known.collection, isOfOneLife(with: home) { return state }
        return stored.revisionID == state.revisionID ? RevisionState(stored) : nil
    }

    /// A revision of this collection, or none, in place of what a model stood for.
    private func standing(of state: RevisionState?, after id: DocumentID) -> Standing {
        Standing(
            state,
            in: state == nil ? nil : self,
            after: id.standing,
            batch: database.file.runningBatch
        )
    }

    /// What a model writes, with `unknown` beside it: by default what it did not ask for when it was
    /// read.
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
    /// Blobs are decoded by `Collection.document(id:as:)` alone; other decoders fail here.
    public convenience init(from decoder: any Decoder) throws {
        throw Blob.undecodable(by: decoder)
    }

    /// Blobs are encoded by `Collection.save(from:)` alone; other encoders fail here.
    public func encode(to encoder: any Encoder) throws {
        throw unencodable(by: encoder)
    }
}
