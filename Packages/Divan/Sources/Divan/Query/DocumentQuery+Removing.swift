@_spi(Modern) internal import CouchbaseLiteSwift
internal import DivanDatabase
internal import DivanQuery
internal import DivanRevisions

extension DocumentQuery {
    /// Returns the IDs of the documents, in the order of the query.
    ///
    /// Bodies are only read if the condition or the order needs them, and no document is decoded.
    ///
    /// - Throws: The same errors as `all()`, except `decodingFailed`.
    public func ids() throws -> [String] { try ids(QueryControl()) }

    /// Deletes the documents; the deletions are synced.
    ///
    /// ```swift
    /// let count = try notes.documents(where: #Predicate<Note> { $0.done }).delete()
    /// ```
    ///
    /// Deletes exactly the documents that the query finds, with its order and limit, in one transaction: all of them or,
    /// after an error, none. Other writers wait meanwhile. For a large number of documents, use a limit, and repeat the
    /// call until it returns 0. Documents that do not match the type are deleted too, because none is decoded.
    ///
    /// - Returns: The number of documents.
    /// - Throws: The same errors as `ids()`; ``DivanError/Code/readOnly``; file system errors.
    @discardableResult
    public func delete() throws -> Int { try remove(.deletion, QueryControl()) }

    /// Removes the documents and their histories from this database only; this is not synced.
    ///
    /// Works like `delete()`: one transaction, with the order and limit of the query.
    ///
    /// - Returns: The number of documents.
    /// - Throws: The same errors as `delete()`.
    @discardableResult
    public func purge() throws -> Int { try remove(.purge, QueryControl()) }

    // MARK: Inside

    /// The query with the ID as its only column.
    func runnableForIDs() throws -> RunnableQuery {
        var statement = try statement()
        statement.columns = Array(statement.columns.prefix(1))
        return try RunnableQuery(statement, of: collection.database)
    }

    fileprivate func ids(_ control: QueryControl) throws -> [String] {
        try DivanError.converting(place: collection.place) {
            var ids: [String] = []
            try runnableForIDs().forEachRow(control) { row in
                if case .string(let id)? = row.first { ids.append(id) }
            }
            return ids
        }
    }

    fileprivate func remove(_ removal: Removal, _ control: QueryControl) throws -> Int {
        try collection.database.write { _ in
            let found = try ids(control)
            var count = 0
            for start in stride(from: 0, to: found.count, by: Removal.stepCount) {
                let step = found[start..<min(start + Removal.stepCount, found.count)]
                count += try DivanError.converting(place: collection.place) {
                    try control.check(path: collection.database.name)
                    return try removal.apply(to: step, of: collection)
                }
            }
            return count
        }
    }
}

/// How documents of a query are removed.
private enum Removal {
    case deletion
    case purge

    /// Documents between two checks whether the task was cancelled.
    static let stepCount = 256

    func apply(to ids: ArraySlice<String>, of collection: DocumentCollection) throws -> Int {
        let path = collection.path
        return try collection.official.writeStore { writer in
            var count = 0
            for id in ids.lazy.map({ StoredID(unchecked: $0) }) {
                switch self {
                case .deletion:
                    _ = try writer.save(LocalRevision(deleting: id), in: path)
                    count += 1
                case .purge:
                    if try writer.purge(id, in: path) { count += 1 }
                }
            }
            return count
        }
    }
}

extension DocumentQuery where Model: Sendable {
    /// Returns the IDs of the documents; see the synchronous form.
    ///
    /// Cancelling the task stops the query.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    public func ids() async throws -> [String] {
        try await Background.cancelling { control in
            try await Background.reading { try ids(control) }
        }
    }

    /// Deletes the documents; see the synchronous form.
    ///
    /// If the task is cancelled before the end, none is deleted.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    @discardableResult
    public func delete() async throws -> Int { try await removeInBackground(.deletion) }

    /// Removes the documents from this database only; see the synchronous form.
    ///
    /// If the task is cancelled before the end, none is removed.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    @discardableResult
    public func purge() async throws -> Int { try await removeInBackground(.purge) }

    private func removeInBackground(_ removal: Removal) async throws -> Int {
        try await Background.cancelling { control in
            try await collection.database.writing { try remove(removal, control) }
        }
    }
}
