internal import CouchbaseLiteSwift

extension DocumentCollection {
    /// Documents that a commit changed, deleted or purged.
    public struct Change: Hashable, Sendable {
        /// The collection.
        public let collection: DocumentCollection
        /// Each document once, at most 1,000; a larger commit arrives as several changes.
        public let ids: [String]
    }

    /// The changes to any document from now on; ends when the database is closed or the collection deleted.
    ///
    /// ```swift
    /// for await change in notes.changes { print(change.ids) }
    /// ```
    public var changes: Updates<Change, Never> {
        Updates { continuation in
            // Subscribes before the call returns, so that no later commit is missed.
            let stream = official.changes()
            let task = Task {
                for await change in stream {
                    continuation.yield(Change(collection: self, ids: change.documentIDs))
                }
                continuation.finish()
            }
            return { task.cancel() }
        }
    }

    /// The changes to one document from now on, which may not exist yet: the document after each change, or `nil` if it
    /// was deleted or purged.
    public func changes(of id: String) -> Updates<Document?, any Error> {
        Updates(bufferLimit: 64) { continuation in
            let stream = official.documentChanges(id: id)
            let task = Task {
                do {
                    for await _ in stream { continuation.yield(try await get(id)) }
                    continuation.finish()
                } catch {
                    // Closing the database ends the sequence.
                    if case DivanError.notOpen = error {
                        continuation.finish()
                    } else {
                        continuation.finish(throwing: DivanError(error))
                    }
                }
            }
            return { task.cancel() }
        }
    }
}
