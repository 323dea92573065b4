public import Foundation

// The calls that read, change or remove one document, for models whose ID is a UUID: the document's ID is its text in
// upper case.

extension DocumentCollection {
    /// Returns a document; see `get(_:)`.
    ///
    /// - Throws: The same errors as with a `String`.
    public func get(_ id: UUID) throws -> Document? { try get(id.uuidString) }

    /// Returns a document as a type; see `get(_:as:)`.
    ///
    /// - Throws: The same errors as with a `String`.
    public func get<Model: Decodable>(
        _ id: UUID,
        as type: Model.Type = Model.self
    ) throws -> Model? {
        try get(id.uuidString, as: type)
    }

    /// Whether a document exists and is not deleted.
    ///
    /// - Throws: The same errors as with a `String`.
    public func contains(_ id: UUID) throws -> Bool { try contains(id.uuidString) }

    /// Changes a document; see `update(_:default:_:)`.
    ///
    /// - Throws: The same errors as with a `String`.
    @discardableResult
    public func update(
        _ id: UUID,
        default initial: @autoclosure () -> Document? = nil,
        _ change: (inout Document) throws -> Void
    ) throws -> Document {
        try update(id.uuidString, default: initial(), change)
    }

    /// Changes a model; see `update(_:as:default:_:)`.
    ///
    /// - Throws: The same errors as with a `String`.
    @discardableResult
    public func update<Model: Codable>(
        _ id: UUID,
        as type: Model.Type = Model.self,
        default initial: @autoclosure () -> Model? = nil,
        _ change: (inout Model) throws -> Void
    ) throws -> Model {
        try update(id.uuidString, as: type, default: initial(), change)
    }

    /// Deletes a document; the deletion is synced.
    ///
    /// - Returns: Whether it existed.
    /// - Throws: The same errors as with a `String`.
    @discardableResult
    public func delete(_ id: UUID) throws -> Bool { try delete(id.uuidString) }

    /// Removes a document and its history from this database only; this is not synced.
    ///
    /// - Returns: Whether it existed.
    /// - Throws: The same errors as with a `String`.
    @discardableResult
    public func purge(_ id: UUID) throws -> Bool { try purge(id.uuidString) }

    /// Sets when a document is purged from this database; `nil` means never.
    ///
    /// - Throws: The same errors as with a `String`.
    public func expire(_ id: UUID, at date: Date?) throws { try expire(id.uuidString, at: date) }

    /// Purges a document from this database after a time.
    ///
    /// - Throws: The same errors as with a `String`.
    public func expire(_ id: UUID, after time: Duration) throws {
        try expire(id.uuidString, after: time)
    }

    /// Returns when a document expires; `nil` if it does not expire or does not exist.
    ///
    /// - Throws: The same errors as with a `String`.
    public func expiration(of id: UUID) throws -> Date? { try expiration(of: id.uuidString) }

    /// The changes to one document from now on; see `changes(of:)`.
    public func changes(of id: UUID) -> Updates<Document?, any Error> {
        changes(of: id.uuidString)
    }
}

// The `async` form of each call.

extension DocumentCollection {
    /// Returns a document; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    public func get(_ id: UUID) async throws -> Document? { try await get(id.uuidString) }

    /// Returns a document as a type; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    public func get<Model: Decodable & Sendable>(
        _ id: UUID,
        as type: Model.Type = Model.self
    ) async throws -> Model? {
        try await get(id.uuidString, as: type)
    }

    /// Whether a document exists; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    public func contains(_ id: UUID) async throws -> Bool { try await contains(id.uuidString) }

    /// Changes a document; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    @discardableResult
    public func update(
        _ id: UUID,
        default initial: Document? = nil,
        _ change: @escaping @Sendable (inout Document) throws -> Void
    ) async throws -> Document {
        try await update(id.uuidString, default: initial, change)
    }

    /// Changes a model; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    @discardableResult
    public func update<Model: Codable & Sendable>(
        _ id: UUID,
        as type: Model.Type = Model.self,
        default initial: Model? = nil,
        _ change: @escaping @Sendable (inout Model) throws -> Void
    ) async throws -> Model {
        try await update(id.uuidString, as: type, default: initial, change)
    }

    /// Deletes a document; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    @discardableResult
    public func delete(_ id: UUID) async throws -> Bool { try await delete(id.uuidString) }

    /// Removes a document from this database only; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    @discardableResult
    public func purge(_ id: UUID) async throws -> Bool { try await purge(id.uuidString) }

    /// Sets when a document is purged; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    public func expire(_ id: UUID, at date: Date?) async throws {
        try await expire(id.uuidString, at: date)
    }

    /// Purges a document after a time; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    public func expire(_ id: UUID, after time: Duration) async throws {
        try await expire(id.uuidString, after: time)
    }

    /// Returns when a document expires; see the synchronous form.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    public func expiration(of id: UUID) async throws -> Date? {
        try await expiration(of: id.uuidString)
    }
}
