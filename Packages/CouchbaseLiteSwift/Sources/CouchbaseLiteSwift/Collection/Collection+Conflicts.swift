import DivanDatabase
import DivanRevisions

extension Collection {
    /// Returns the documents in conflict, in the order in which the conflicts arose.
    ///
    /// A document is in conflict from the pull that downloads the other revision until a resolver has decided.
    /// Conflicts stay open with ``ConflictResolver/leaveOpen``, after a resolver failed, and while one is running. A
    /// listener never stores conflicts. At most `limit` conflicts are returned. An addition to the official API.
    ///
    /// ```swift
    /// for conflict in try recipes.conflicts() {
    ///     print(conflict.documentID, conflict.localDocument?.revisionID ?? "deleted")
    /// }
    /// ```
    ///
    /// - Throws: `CBLError.notOpen`; file system errors.
    public func conflicts(limit: Int = 1_000) throws -> [Conflict] {
        let path = path
        let stored = try read { reader in
            try reader.conflicts(in: path).prefix(max(0, limit)).compactMap { documentID in
                try reader.conflict(of: documentID, in: path)
            }
        }
        return stored.map { conflict in
            Conflict(
                documentID: conflict.documentID.text,
                localDocument: document(conflict.documentID, conflict.local),
                remoteDocument: document(conflict.documentID, conflict.remote),
                baseDocument: conflict.base.flatMap { document(conflict.documentID, $0) },
                precedence: (conflict.precedence.local, conflict.precedence.remote)
            )
        }
    }

    private func document(_ id: StoredID, _ side: StoredRevision) -> Document? {
        guard !side.isTombstone else { return nil }
        let state = RevisionState(
            revisionID: side.revisionID,
            sequence: side.sequence,
            isTombstone: false
        )
        return Document(id: id, state: state, body: side.body, collection: self)
    }
}
