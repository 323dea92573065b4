import DivanRevisions
import DivanSealedFields
import DivanStore

/// Decides which received revisions are accepted in one collection.
struct Admission {
    let collection: Int
    let path: CollectionPath
    /// Refuses to store a revision by returning `false`, which results in HTTP/403.
    var filter: DocumentFilter?
    /// What the peer may fetch; `nil` = everything.
    var readFilter: DocumentFilter?
    /// What the peer may replace, as stored now; `nil` = everything.
    var storedFilter: DocumentFilter?
    /// Whether the peer may fetch anything.
    var isReadable = true
    /// Decrypts properties; `nil` leaves them as received.
    var opening: FieldOpening?

    /// Asks the filters about the new revision and about the stored one, which is read on credit.
    func admit(
        _ message: RevisionMessage,
        _ body: [UInt8],
        by connection: Connection
    ) throws(SyncError) {
        if let filter {
            let shown = FilteredRevision(
                message.documentID,
                message.revisionID,
                body: body,
                isTombstone: message.isTombstone
            )
            guard filter(shown) else { throw .rejected }
        }
        guard let storedFilter else { return }
        // Even a short message may concern the largest document.
        guard connection.readingCredit.isPositive(at: connection.now) else {
            throw .http(
                .serviceUnavailable,
                "read limit for access checks reached; push again later"
            )
        }
        guard let stored = try stored(message.documentID, in: connection.store) else { return }
        connection.readingCredit.owe(stored.body.count)
        let shown = FilteredRevision(stored.documentID, stored.revisionID, body: stored.body)
        guard storedFilter(shown) else { throw .rejected }
    }

    private func stored(
        _ documentID: DocumentID,
        in store: Store
    ) throws(SyncError) -> StoredDocument? {
        do {
            return try store.readLiving { try $0.document(documentID, in: path) }
        } catch let error as StoreError where error.concernsOneDocument {
            throw .rejected
        } catch {
            throw SyncError(storage: error)
        }
    }

    /// Whether the peer may fetch a revision that is no tombstone.
    func mayRead(
        _ documentID: DocumentID,
        _ revisionID: RevisionID,
        _ body: [UInt8]
    ) -> Bool {
        readFilter?(FilteredRevision(documentID, revisionID, body: body)) ?? true
    }
}
