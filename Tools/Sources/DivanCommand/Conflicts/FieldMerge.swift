import DivanConflicts
import DivanStore

/// Both sides of a stored conflict, joined field by field.
enum FieldMerge {
    /// What becomes of the conflict.
    ///
    /// - Throws: `JSONError` when a body is no JSON.
    static func decision(of stored: StoredConflict) throws -> ConflictDecision {
        let conflict = Conflict(
            documentID: stored.documentID,
            local: Leaf(stored.local),
            remote: Leaf(stored.remote),
            base: stored.base?.body
        )
        switch try FieldMergeResolver().resolve(conflict) {
        case .keepLocal: return .keepLocal
        case .keepRemote: return .keepRemote
        case .delete: return .delete
        case .merge(let body, _):
            let blobs = try BlobReferences.digests(in: body.span)
            return .merge(body: body, hasBlobs: !blobs.isEmpty)
        }
    }
}

extension Leaf {
    fileprivate init(_ revision: StoredRevision) {
        self.init(
            revisionID: revision.revisionID,
            isTombstone: revision.isTombstone,
            body: revision.body
        )
    }
}
