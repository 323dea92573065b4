public import DivanConflicts
import DivanRevisions
public import DivanStore

extension Conflict {
    /// Creates the conflict for a resolver from a stored conflict.
    public init(_ stored: StoredConflict) {
        self.init(
            documentID: stored.documentID,
            local: Leaf(stored.local, at: stored.precedence.local),
            remote: Leaf(stored.remote, at: stored.precedence.remote),
            base: stored.base?.body
        )
    }
}

extension ConflictDecision {
    /// Creates the store's decision from a resolver's result.
    ///
    /// - Throws: `JSONError` if the merged body is not JSON.
    public init(_ resolution: Resolution) throws {
        switch resolution {
        case .keepLocal: self = .keepLocal
        case .keepRemote: self = .keepRemote
        case .merge(let body, _):
            let blobs = try BlobReferences.digests(in: body)
            self = .merge(body: body, hasBlobs: !blobs.isEmpty)
        case .delete: self = .delete
        }
    }
}

extension Leaf {
    fileprivate init(_ revision: StoredRevision, at precedence: Precedence) {
        self.init(
            revisionID: revision.revisionID,
            isTombstone: revision.isTombstone,
            sequence: revision.sequence,
            body: revision.body,
            precedence: precedence
        )
    }
}
