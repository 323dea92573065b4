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
        let stored = stored(conflict)
        let local = document(conflict.local, id: conflict.documentID, as: stored?.local)
        let remote = document(conflict.remote, id: conflict.documentID, as: stored?.remote)
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

    /// Both sides as the store holds them; `nil` where it holds no conflict any more, or cannot be read.
    private func stored(_ conflict: DivanConflicts.Conflict) -> StoredConflict? {
        let path = collection.path
        return try? collection.read { try $0.conflict(of: conflict.documentID, in: path) }
    }

    /// The document of a side; its sequence is that of `revision`, unless the store has moved on.
    private func document(_ leaf: Leaf, id: StoredID, as revision: StoredRevision?) -> Document? {
        guard !leaf.isTombstone else { return nil }
        let isStored = revision?.revisionID == leaf.revisionID
        let state = RevisionState(
            revisionID: leaf.revisionID,
            sequence: isStored ? revision?.sequence ?? 0 : 0,
            isTombstone: false
        )
        return Document(id: id, state: state, body: leaf.body, collection: collection)
    }
}
