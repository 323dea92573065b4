import Dispatch
import DivanDatabase
import Foundation

extension Database {
    /// Runs `body` on the database's own thread, and waits without blocking the current thread.
    ///
    /// For `async` code: reading and saving wait for the disk and for other writers, and must not block the threads of
    /// Swift tasks. `body` may use ``inBatch(using:)`` and all other methods. Calls run one after another, in order,
    /// and are not cancelled. An addition to the official API.
    ///
    /// - Throws: Errors thrown by `body`.
    public func inBackground<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await inBackground(on: file.background, body)
    }

    /// Does the same on a queue that the caller names.
    func inBackground<Result: Sendable>(
        on queue: DispatchQueue,
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async {
                continuation.resume(with: Swift.Result { try body() })
            }
        }
    }
}

extension Collection {
    /// This collection for `async` code; see ``BackgroundCollection``.
    public var background: BackgroundCollection { BackgroundCollection(collection: self) }
}

extension Collection {
    /// Changes the stored document, or a new one, inside a transaction.
    fileprivate func change(
        _ id: String,
        _ change: (MutableDocument) throws -> Void
    ) throws -> Document? {
        let document = try document(id: id)?.toMutable() ?? MutableDocument(id: id)
        try change(document)
        try save(document: document)
        return try self.document(id: id)
    }
}

/// A collection whose calls run on its database's own thread, for `async` code.
///
/// See ``Database/inBackground(_:)``. An addition to the official API.
public struct BackgroundCollection: Sendable {
    let collection: Collection

    /// Returns a document, or `nil` if it does not exist or is deleted.
    ///
    /// - Throws: The same errors as `Collection.document(id:)`.
    public func document(id: String) async throws -> Document? {
        try await run { try $0.document(id: id) }
    }

    /// Saves a document.
    ///
    /// Do not use the document until the call returns.
    ///
    /// - Returns: Whether it was saved; always `true` unless `concurrencyControl` is `.failOnConflict`.
    /// - Throws: The same errors as `Collection.save(document:)`.
    @discardableResult
    public func save(
        _ document: MutableDocument,
        concurrencyControl: ConcurrencyControl = .lastWriteWins
    ) async throws -> Bool {
        try await run { try $0.save(document: document, concurrencyControl: concurrencyControl) }
    }

    /// Reads, changes and saves a document in one transaction.
    ///
    /// `change` receives the stored document, or a new one if it does not exist. It must return quickly and not use
    /// other databases.
    ///
    /// - Returns: The document as saved.
    /// - Throws: The same errors as `Collection.save(document:)`; errors thrown by `change`, in which case nothing is
    ///   saved.
    @discardableResult
    public func update(
        id: String,
        _ change: @escaping @Sendable (MutableDocument) throws -> Void
    ) async throws -> Document {
        try await run { collection in
            _ = try collection.openStore()
            var failure: (any Error)?
            var saved: Document?
            do {
                try collection.database.file.inBatch {
                    do {
                        saved = try collection.change(id, change)
                    } catch {
                        failure = error
                        throw error
                    }
                }
            } catch {
                throw failure ?? NSError(from: error)
            }
            guard let saved else { throw collection.notFoundError(id) }
            return saved
        }
    }

    /// Deletes a document.
    ///
    /// The deletion replicates as a tombstone.
    ///
    /// - Throws: The same errors as `Collection.delete(document:)`.
    public func delete(_ document: Document) async throws {
        try await run { try $0.delete(document: document) }
    }

    /// Purges a document and its history from this database; this does not replicate.
    ///
    /// - Throws: The same errors as `Collection.purge(id:)`.
    public func purge(id: String) async throws {
        try await run { try $0.purge(id: id) }
    }

    private func run<Result: Sendable>(
        _ body: @escaping @Sendable (Collection) throws -> Result
    ) async throws -> Result {
        let collection = collection
        return try await collection.database.inBackground { try body(collection) }
    }
}
