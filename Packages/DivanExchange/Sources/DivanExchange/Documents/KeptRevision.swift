import DivanJSON
import DivanRevisions

/// The ID that CouchDB gave a revision, and those of its ancestors.
///
/// CouchDB's IDs have the form of those of a revision tree, and are never recomputed from a body:
/// each database accepts them as they are.
struct KeptRevision {
    let id: RevisionID
    /// Its ancestors, newest first.
    let history: [RevisionID]

    /// Removes `_rev` and `_revisions` from a document.
    ///
    /// - Throws: `ExchangeError` if the history is missing, or is not that of a revision tree.
    init(taking body: inout JSONMembers) throws(ExchangeError) {
        let revisions = CouchRevisions(body["_revisions"])
        for key in ["_rev", "_revisions"] { body[key] = nil }
        guard let revisions else {
            throw ExchangeError(
                .noRevisionHistory,
                "the document has no revision history",
                remedy: "export with pouchdb-dump, or import without revision IDs"
            )
        }
        var names: [RevisionID] = []
        for (distance, digest) in revisions.digests.enumerated() {
            let text = "\(revisions.generation - Int64(distance))-\(digest)"
            guard let name = RevisionID(text) else {
                throw ExchangeError(
                    .notTreeRevision,
                    "'\(text.prefix(80))' is not a revision ID of a revision tree",
                    remedy: "import without revision IDs"
                )
            }
            names.append(name)
        }
        id = names[0]
        history = Array(names.dropFirst())
    }
}
