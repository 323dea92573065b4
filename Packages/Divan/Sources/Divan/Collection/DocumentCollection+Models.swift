public import Foundation

// The calls that accept several models or documents, and those that accept a model instead of its ID.

extension DocumentCollection {
    /// Saves several documents in one transaction: all of them or, after an error, none.
    ///
    /// - Returns: The documents with their new revisions.
    /// - Throws: The same errors as for one document.
    @discardableResult
    public func save(_ documents: [Document]) throws -> [Document] {
        try database.write { _ in try documents.map { try save($0) } }
    }

    /// Saves several models in one transaction: all of them or, after an error, none.
    ///
    /// ```swift
    /// try notes.save([Note(id: "1", title: "Milk"), Note(id: "2", title: "Bread")])
    /// ```
    ///
    /// - Returns: The new revisions, in the same order.
    /// - Throws: The same errors as for one model.
    @discardableResult
    public func save<Model: Codable & Identifiable>(
        _ models: [Model]
    ) throws -> [Revision] where Model.ID: LosslessStringConvertible {
        try database.write { _ in try models.map { try save($0) } }
    }

    /// Saves several models with UUIDs in one transaction: all of them or, after an error, none.
    ///
    /// - Returns: The new revisions, in the same order.
    /// - Throws: The same errors as for one model.
    @discardableResult
    public func save<Model: Codable & Identifiable>(
        _ models: [Model]
    ) throws -> [Revision] where Model.ID == UUID {
        try database.write { _ in try models.map { try save($0) } }
    }

    /// Deletes the document of a model, even if it was changed since; the deletion is synced.
    ///
    /// - Returns: Whether it existed.
    /// - Throws: The same errors as with its ID.
    @discardableResult
    public func delete<Model: Identifiable>(
        _ model: Model
    ) throws -> Bool where Model.ID: LosslessStringConvertible {
        try delete(String(model.id))
    }

    /// Deletes the document of a model with a UUID, even if it was changed since; the deletion is synced.
    ///
    /// - Returns: Whether it existed.
    /// - Throws: The same errors as with its ID.
    @discardableResult
    public func delete<Model: Identifiable>(_ model: Model) throws -> Bool where Model.ID == UUID {
        try delete(model.id)
    }
}

// The `async` form of each call.

extension DocumentCollection {
    /// Saves several documents in one transaction; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    @discardableResult
    public func save(_ documents: [Document]) async throws -> [Document] {
        try await database.writing { try save(documents) }
    }

    /// Saves several models in one transaction; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    @discardableResult
    public func save<Model: Codable & Identifiable & Sendable>(
        _ models: [Model]
    ) async throws -> [Revision] where Model.ID: LosslessStringConvertible {
        try await database.writing { try save(models) }
    }

    /// Saves several models with UUIDs in one transaction; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    @discardableResult
    public func save<Model: Codable & Identifiable & Sendable>(
        _ models: [Model]
    ) async throws -> [Revision] where Model.ID == UUID {
        try await database.writing { try save(models) }
    }

    /// Deletes the document of a model; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    @discardableResult
    public func delete<Model: Identifiable & Sendable>(
        _ model: Model
    ) async throws -> Bool where Model.ID: LosslessStringConvertible {
        try await delete(String(model.id))
    }

    /// Deletes the document of a model with a UUID; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    @discardableResult
    public func delete<Model: Identifiable & Sendable>(
        _ model: Model
    ) async throws -> Bool where Model.ID == UUID {
        try await delete(model.id)
    }
}
