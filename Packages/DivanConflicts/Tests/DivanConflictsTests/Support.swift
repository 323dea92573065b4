import DivanConflicts
import DivanRevisions
import Testing

/// A leaf with this revision ID; without a body it is a tombstone.
func leaf(_ revision: String, _ body: String? = #"{"a":1}"#) throws -> Leaf {
    Leaf(
        revisionID: try #require(RevisionID(revision)),
        isTombstone: body == nil,
        body: Array((body ?? "{}").utf8)
    )
}

func conflict(_ local: Leaf, _ remote: Leaf, base: String? = nil) -> Conflict {
    Conflict(documentID: "doc", local: local, remote: remote, base: base.map { Array($0.utf8) })
}
