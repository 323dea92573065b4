import DivanDatabase
import DivanHTTP
import DivanJSON
import DivanRevisions

/// Replaces a document by a function of its current body.
///
/// The function runs outside of the write transaction, so that other writers do not wait for it. If another client saves
/// the document in the meantime, the function runs again on the new revision, unless the client expects a certain one.
struct DocumentChange {
    /// Attempts outside of a transaction; then other writers wait.
    private static let attemptCount = 8

    let resource: DocumentResource

    private var call: RESTCall { resource.call }

    /// Saves the changed document.
    ///
    /// - Throws: `RESTError` 404 if there is no document, 409 if the expected revision is not the current one; whatever
    ///   `change` throws.
    func save(_ change: (inout JSON) throws -> Void) throws -> StoredDocument {
        let expected = try call.expectedRevision()
        for _ in 0..<Self.attemptCount {
            let (body, parent) = try call.store.readLiving {
                try revision(expected, $0, change)
            }
            let saved: StoredDocument? = try call.store.write { writer in
                let current = try call.outline(
                    of: resource.documentID,
                    in: resource.collection,
                    writer
                )
                .current
                guard current?.revisionID == parent else { return nil }
                return try resource.put(body, replacing: parent, writer)
            }
            if let saved { return saved }
        }
        return try call.store.write { writer in
            let (body, parent) = try revision(expected, writer, change)
            return try resource.put(body, replacing: parent, writer)
        }
    }

    /// The changed body, and the revision that it replaces.
    private func revision(
        _ expected: ExpectedRevision?,
        _ reader: StoreReader,
        _ change: (inout JSON) throws -> Void
    ) throws -> (body: [UInt8], parent: RevisionID) {
        let found = try call.document(resource.documentID, in: resource.collection, reader)
        guard let current = found else {
            throw expected == nil ? resource.missing : RESTError.conflict(current: nil)
        }
        guard expected?.fits(current.revisionID) ?? true else {
            throw RESTError.conflict(current: current.revisionID)
        }
        try call.checkParsing(current.body)
        var document = try JSON(parsing: current.body, limits: StorageLimits.bodyText)
        try change(&document)
        guard case .object = document else {
            throw RESTError.bad("the changed document is not a JSON object: {…}")
        }
        let body = try document.canonicalBytes()
        guard body.count <= call.limits.http.bodyByteCount else {
            let limit = call.limits.http.bodyByteCount
            throw RESTError(413, "too_large", "the changed document has more than \(limit) bytes")
        }
        try call.checkStoring(body, as: resource.documentID)
        return (body, current.revisionID)
    }
}
