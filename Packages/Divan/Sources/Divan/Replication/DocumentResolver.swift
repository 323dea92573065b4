import DivanConflicts
import DivanReplicator
import DivanRevisions
import DivanStore
import Foundation

/// Brings an application's conflict resolver to the engine, which knows leaves and not documents.
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
            }
        )
        let answer = ServiceCallback.run { resolver.resolve(conflict: question) }
        guard let answer else { return .delete }
        if answer === local { return .keepLocal }
        if answer === remote { return .keepRemote }
        if let home = answer.collection, !collection.sharesDocuments(with: home) {
            throw ReplicationFailure.resolvedElsewhere(documentID: conflict.documentID.text).error
        }
        if answer.name != conflict.documentID {
            Journal.sync.warning(
                "The document ID of the resolved document '\(answer.id)' is not matching with the "
                    + "document ID of the conflicting document '\(conflict.documentID)'."
            )
        }
        let composed = try compose(answer)
        return .merge(body: composed.body, retaining: Retained(composed.holds))
    }

    /// The body of what the resolver returned.
    ///
    /// - Throws: As `encodedBody(for:)`; `unexpectedError` in place of `invalidParameter` for a
    ///   blob of another database, as in the official SDK.
    private func compose(_ answer: Document) throws -> ComposedBody {
        do {
            return try answer.encodedBody(for: collection)
        } catch let error as NSError where error.userInfo[NSUnderlyingErrorKey] is ForeignBlob {
            Journal.sync.error("Document \(answer.id), by the conflict resolver: \(error)")
            throw SyncError(
                .liteCore,
                CBLError.unexpectedError,
                ForeignBlob.officialSentence,
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
