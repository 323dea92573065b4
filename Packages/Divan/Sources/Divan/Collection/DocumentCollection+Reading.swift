@_spi(Modern) internal import CouchbaseLiteSwift
internal import DivanDatabase
internal import DivanRevisions

extension DocumentCollection {
    /// Returns a document, or `nil` if it does not exist or is deleted.
    ///
    /// - Throws: ``DivanError/Code/notOpen``; `corrupt`; file system errors.
    public func get(_ id: String) throws -> Document? {
        try stored(id).map { Document($0, in: database.official) }
    }

    /// Returns a document as a type, or `nil` if it does not exist or is deleted.
    ///
    /// A key `id` of an `Identifiable` type is the document's ID. See `save(_:)` for the types of values.
    ///
    /// - Throws: ``DivanError/Code/decodingFailed`` if the document does not match the type; the same errors as
    ///   `get(_:)`.
    public func get<Model: Decodable>(
        _ id: String,
        as type: Model.Type = Model.self
    ) throws -> Model? {
        guard let stored = try stored(id) else { return nil }
        return try decode(type, stored)
    }

    /// Returns the documents with these IDs that exist, in the same order, from one snapshot.
    ///
    /// - Throws: The same errors as ``get(_:)``.
    public func get(_ ids: [String]) throws -> [Document] {
        try DivanError.converting(place: place) {
            try official.readStore { reader in
                try ids.compactMap { id in
                    try reader.document(StoredID(unchecked: id), in: path)
                        .map { Document($0, in: database.official) }
                }
            }
        }
    }

    /// Returns the documents with these IDs that exist, as a type, in the same order, from one snapshot.
    ///
    /// - Throws: The same errors as ``get(_:as:)``.
    public func get<Model: Decodable>(
        _ ids: [String],
        as type: Model.Type = Model.self
    ) throws -> [Model] {
        try DivanError.converting(place: place) {
            try official.readStore { reader in
                try ids.compactMap { id in
                    try reader.document(StoredID(unchecked: id), in: path)
                        .map { try decode(type, $0) }
                }
            }
        }
    }

    /// Whether a document exists and is not deleted.
    ///
    /// - Throws: The same errors as `get(_:)`.
    public func contains(_ id: String) throws -> Bool {
        try DivanError.converting(place: place(of: id)) {
            try official.readStore { try $0.outline(of: StoredID(unchecked: id), in: path) } != nil
        }
    }

    /// Returns document IDs in ascending order of their bytes.
    ///
    /// To read page by page, pass the last ID of a page to the next call.
    ///
    /// - Parameters:
    ///   - prefix: Only IDs that begin with it.
    ///   - last: Only IDs after this one; `nil` for all.
    ///   - limit: The maximum number of IDs; `nil` for all.
    /// - Returns: The IDs.
    /// - Throws: The same errors as `get(_:)`.
    public func ids(
        prefix: String = "",
        after last: String? = nil,
        limit: Int? = nil
    ) throws -> [String] {
        try DivanError.converting(place: place) {
            try official.documentIDs(prefix: prefix, after: last, limit: limit)
        }
    }

    /// The current revision of a document that is not deleted.
    func stored(_ id: String) throws -> StoredDocument? {
        try DivanError.converting(place: place(of: id)) {
            try official.readStore { try $0.document(StoredID(unchecked: id), in: path) }
        }
    }

    func decode<Model: Decodable>(
        _ type: Model.Type,
        _ stored: StoredDocument,
        _ notes: ReadKeys? = nil
    ) throws -> Model {
        let contents = BlobContents(database: database.official)
        let id = stored.documentID.text
        if type == Document.self, let document = Document(stored, in: database.official) as? Model {
            return document
        }
        return try ModelReader.read(type, stored.body, id: id, contents: contents, notes: notes)
    }
}
