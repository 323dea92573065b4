import DivanConflicts
import DivanDatabase
import DivanLog
import DivanReplicator
import DivanRevisions
import Foundation

/// Adapts an application's conflict resolver to the engine, which works on leaves rather than documents.
struct DocumentResolver: DivanConflicts.ConflictResolver {
    let resolver: any ConflictResolverProtocol
    let collection: Collection

    func resolve(_ conflict: DivanConflicts.Conflict) throws -> Resolution {
        let local = document(conflict.local, id: conflict.documentID)
        let remote = document(conflict.remote, id: conflict.documentID)
        let question = Conflict(
            documentID: conflict.documentID.text,
            localDocument: local,
            remoteDocument: remote,
            baseDocument: conflict.base.map { base in
                Document(id: conflict.documentID, state: nil, body: base, collection: collection)
            },
            precedence: (conflict.local.precedence, conflict.remote.precedence)
        )
        if let throwing = resolver as? any ThrowingConflictResolver {
            return try ServiceCallback.run {
                try throwing.attempt(question, with: nil) { answer in
                    try resolution(answer, local, remote, conflict)
                }
            }
        }
        let answer = ServiceCallback.run { resolver.resolve(conflict: question) }
        return try resolution(answer, local, remote, conflict)
    }

    /// Checks what the resolver returned.
    private func resolution(
        _ answer: Document?,
        _ local: Document?,
        _ remote: Document?,
        _ conflict: DivanConflicts.Conflict
    ) throws -> Resolution {
        guard let answer else { return .delete }
        if answer === local { return .keepLocal }
        if answer === remote { return .keepRemote }
        if let home = answer.collection, !collection.sharesDocuments(with: home) {
            let failure = ReplicationFailure.resolvedElsewhere(documentID: conflict.documentID.text)
            Journal.sync.error("\(failure)")
            throw SyncError(.liteCore, CBLError.conflict, failure.description, hasRemedy: true)
        }
        if answer.name != conflict.documentID {
            Journal.sync.warning(
                "The document ID of the resolved document '\(user: answer.id)' is not matching with the "
                    + "document ID of the conflicting document '\(user: conflict.documentID)'."
            )
        }
        let composed = try compose(answer)
        return .merge(body: composed.body, retaining: Retained(composed.holds))
    }

    /// The body of the document that the resolver returned.
    ///
    /// - Throws: `unexpectedError`, as in the official SDK, for anything that prevents the answer from being stored: a
    ///   blob of another database, a damaged document, content that cannot be read.
    private func compose(_ answer: Document) throws -> ComposedBody {
        do {
            return try answer.encodedBody(for: collection)
        } catch {
            Journal.sync.error(
                "Document \(user: answer.id), returned by the conflict resolver: \(error)"
            )
            let error = error as NSError
            let isForeignBlob = error.userInfo[NSUnderlyingErrorKey] is ForeignBlob
            throw SyncError(
                .liteCore,
                CBLError.unexpectedError,
                isForeignBlob ? ForeignBlob.officialSentence : error.localizedDescription,
                hasRemedy: true
            )
        }
    }

    private func document(_ leaf: Leaf, id: StoredID) -> Document? {
        guard !leaf.isTombstone else { return nil }
        let state = RevisionState(
            revisionID: leaf.revisionID,
            sequence: leaf.sequence,
            isTombstone: false
        )
        return Document(id: id, state: state, body: leaf.body, collection: collection)
    }
}
