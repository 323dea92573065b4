internal import CouchbaseLiteSwift
public import Foundation

// The `async` form of each call: the same, on a thread that may wait for the disk. Each throws
// `cancelled` if the task was cancelled before it began.

extension DocumentCollection {
    /// Returns a document, or `nil` if it does not exist or is deleted; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    public func get(_ id: String) async throws -> Document? {
        try await Background.reading { try get(id) }
    }

    /// Returns a document as a type; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    public func get<Model: Decodable & Sendable>(
        _ id: String,
        as type: Model.Type = Model.self
    ) async throws -> Model? {
        try await Background.reading { try get(id, as: Model.self) }
    }

    /// Returns several documents; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    public func get(_ ids: [String]) async throws -> [Document] {
        try await Background.reading { try get(ids) }
    }

    /// Returns several documents as a type; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    public func get<Model: Decodable & Sendable>(
        _ ids: [String],
        as type: Model.Type = Model.self
    ) async throws -> [Model] {
        try await Background.reading { try get(ids, as: Model.self) }
    }

    /// Whether a document exists; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    public func contains(_ id: String) async throws -> Bool {
        try await Background.reading { try contains(id) }
    }

    /// Returns document IDs; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    public func ids(
        prefix: String = "",
        after last: String? = nil,
        limit: Int? = nil
    ) async throws -> [String] {
        try await Background.reading { try ids(prefix: prefix, after: last, limit: limit) }
    }

    /// Returns the number of documents; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    public func count() async throws -> Int {
        try await Background.reading { try count() }
    }

    /// Saves a document; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    @discardableResult
    public func save(_ document: Document) async throws -> Document {
        try await database.writing { try save(document) }
    }

    /// Saves a document unless it was changed since a revision; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    @discardableResult
    public func save(
        _ document: Document,
        ifRevision revision: Revision?
    ) async throws -> Document {
        try await database.writing { try save(document, ifRevision: revision) }
    }

    /// Saves a model under its ID; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    @discardableResult
    public func save<Model: Codable & Identifiable & Sendable>(
        _ model: Model
    ) async throws -> Revision where Model.ID: LosslessStringConvertible {
        try await database.writing { try save(model) }
    }

    /// Saves a model under its UUID; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    @discardableResult
    public func save<Model: Codable & Identifiable & Sendable>(
        _ model: Model
    ) async throws -> Revision where Model.ID == UUID {
        try await database.writing { try save(model) }
    }

    /// Saves a model under an ID; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    @discardableResult
    public func save<Model: Codable & Sendable>(
        _ model: Model,
        id: String
    ) async throws -> Revision {
        try await database.writing { try save(model, id: id) }
    }

    /// Saves a model unless its document was changed since a revision; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    @discardableResult
    public func save<Model: Codable & Identifiable & Sendable>(
        _ model: Model,
        ifRevision revision: Revision?
    ) async throws -> Revision where Model.ID: LosslessStringConvertible {
        try await database.writing { try save(model, ifRevision: revision) }
    }

    /// Saves a model under its UUID unless its document was changed since a revision; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    @discardableResult
    public func save<Model: Codable & Identifiable & Sendable>(
        _ model: Model,
        ifRevision revision: Revision?
    ) async throws -> Revision where Model.ID == UUID {
        try await database.writing { try save(model, ifRevision: revision) }
    }

    /// Saves a model under an ID unless the document was changed since a revision; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    @discardableResult
    public func save<Model: Codable & Sendable>(
        _ model: Model,
        id: String,
        ifRevision revision: Revision?
    ) async throws -> Revision {
        try await database.writing { try save(model, id: id, ifRevision: revision) }
    }

    /// Changes a document; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    @discardableResult
    public func update(
        _ id: String,
        default initial: Document? = nil,
        _ change: @escaping @Sendable (inout Document) throws -> Void
    ) async throws -> Document {
        try await rethrowing { try update(id, default: initial, change) }
    }

    /// Changes a model; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    @discardableResult
    public func update<Model: Codable & Sendable>(
        _ id: String,
        as type: Model.Type = Model.self,
        default initial: Model? = nil,
        _ change: @escaping @Sendable (inout Model) throws -> Void
    ) async throws -> Model {
        try await rethrowing { try update(id, as: Model.self, default: initial, change) }
    }

    /// Deletes a document; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    @discardableResult
    public func delete(_ id: String) async throws -> Bool {
        try await database.writing { try delete(id) }
    }

    /// Deletes a document unless it was changed since a revision; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    public func delete(_ id: String, ifRevision revision: Revision) async throws {
        try await database.writing { try delete(id, ifRevision: revision) }
    }

    /// Removes a document from this database only; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    @discardableResult
    public func purge(_ id: String) async throws -> Bool {
        try await database.writing { try purge(id) }
    }

    /// Sets when a document is purged; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    public func expire(_ id: String, at date: Date?) async throws {
        try await database.writing { try expire(id, at: date) }
    }

    /// Purges a document after a time; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    public func expire(_ id: String, after time: Duration) async throws {
        try await database.writing { try expire(id, after: time) }
    }

    /// Returns when a document expires; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    public func expiration(of id: String) async throws -> Date? {
        try await Background.reading { try expiration(of: id) }
    }

    /// Creates an index; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    public func createIndex(_ name: String, _ index: Index) async throws {
        try await database.writing { try createIndex(name, index) }
    }

    /// Deletes an index; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    public func deleteIndex(_ name: String) async throws {
        try await database.writing { try deleteIndex(name) }
    }

    /// Sets how the bodies of documents are compressed on disk; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    public func compressBodies(with codec: String) async throws {
        try await database.writing { try compressBodies(with: codec) }
    }

    /// Returns the documents that contain words; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    public func search<Model: Decodable & Sendable>(
        _ text: String,
        index: String,
        as type: Model.Type = Document.self,
        limit: Int? = nil
    ) async throws -> [Model] {
        try await Background.reading {
            try search(text, index: index, as: Model.self, limit: limit)
        }
    }

    /// Returns the documents with the nearest vectors; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    public func nearest<Model: Decodable & Sendable>(
        to vector: [Float],
        in property: String,
        limit: Int = 10,
        as type: Model.Type = Document.self
    ) async throws -> [(document: Model, distance: Double)] {
        try await Background.reading {
            try nearest(to: vector, in: property, limit: limit, as: Model.self)
        }
    }

    private func rethrowing<Output: Sendable>(
        _ body: @escaping @Sendable () throws -> Output
    ) async throws -> Output {
        try Background.requireActive()
        return try await database.official.inBackground(body)
    }
}

extension DocumentQuery where Model: Sendable {
    /// Returns the current documents; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    public func all() async throws -> [Model] {
        try await Background.reading { try all() }
    }

    /// Returns the first document; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    public func first() async throws -> Model? {
        try await Background.reading { try first() }
    }

    /// Returns the number of documents; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    public func count() async throws -> Int {
        try await Background.reading { try count() }
    }

    /// Calls `body` with each document on another thread; cancelling the task stops it.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    public func forEachDocument(_ body: @escaping @Sendable (Model) throws -> Void) async throws {
        try await Background.cancelling { control in
            try await Background.rethrowing { try forEachDocument(control, body) }
        }
    }

    /// Returns a page; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    public func page(
        of size: Int,
        after position: String? = nil
    ) async throws -> DocumentPage<Model> {
        try await Background.reading { try page(of: size, after: position) }
    }

    /// Describes how the query runs; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    public func explain() async throws -> String {
        try await Background.reading { try explain() }
    }

    /// Returns the documents with the nearest vectors; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    public func nearest(
        to vector: [Float],
        in property: String,
        limit: Int = 10
    ) async throws -> [(document: Model, distance: Double)] {
        try await Background.reading { try nearest(to: vector, in: property, limit: limit) }
    }
}
