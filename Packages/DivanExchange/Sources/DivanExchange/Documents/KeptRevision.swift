import DivanCommandLine
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
    /// - Throws: `Failure` if there is no history, or one that no tree can hold.
    init(taking body: inout JSONMembers) throws(Failure) {
        let revisions = CouchRevisions(body["_revisions"])
        for key in ["_rev", "_revisions"] { body[key] = nil }
        guard let revisions else {
            throw Failure(
                kind: .invalid,
                sentence: "the document has no revision history",
                hint: "export with pouchdb-dump, or leave '--keep-revisions' out"
            )
        }
        var names: [RevisionID] = []
        for (distance, digest) in revisions.digests.enumerated() {
            let text = "\(revisions.generation - Int64(distance))-\(digest)"
            guard let name = RevisionID(text) else {
                throw Failure(
                    kind: .invalid,
                    sentence: "'\(text.prefix(80))' is not a revision ID of a revision tree",
                    hint: "leave '--keep-revisions' out"
                )
            }
            names.append(name)
        }
        id = names[0]
        history = Array(names.dropFirst())
    }
}
