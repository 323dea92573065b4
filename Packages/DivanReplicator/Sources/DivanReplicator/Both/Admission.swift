import DivanRevisions
import DivanSealedFields
import DivanStore

/// What decides in one collection which received revisions are taken.
struct Admission {
    let collection: Int
    let path: CollectionPath
    /// Refuses to store a revision, which is HTTP/403.
    var filter: DocumentFilter?
    /// What the peer may fetch; `nil` = everything.
    var readFilter: DocumentFilter?
    /// Whether the peer may fetch anything.
    var isReadable = true
    /// Decrypts properties; `nil` leaves them as they come.
    var opening: FieldOpening?

    /// Asks the filter, which sees what would be stored.
    func admit(_ message: RevisionMessage, _ body: [UInt8]) throws(SyncError) {
        guard let filter else { return }
        let shown = FilteredRevision(
            message.documentID,
            message.revisionID,
            body: body,
            isTombstone: message.isTombstone
        )
        guard filter(shown) else { throw .rejected }
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
