import DivanConflicts
import DivanStore
import Foundation

/// Brings an application's conflict resolver to the engine, which knows leaves and not documents.
///
/// The application's object is handed to a concurrent queue: `behaviour.md` §9 promises it calls
/// from there, so it is up to the application to make them safe.
struct DocumentResolver: DivanConflicts.ConflictResolver, @unchecked Sendable {
    // Unchecked: `resolver` is only ever called, as its protocol documents; `collection` is a
    // class that locks for itself.
    let resolver: any ConflictResolverProtocol
    let collection: Collection

    func resolve(_ conflict: DivanConflicts.Conflict) throws -> Resolution {
        let local = document(conflict.local, id: conflict.documentID)
        let remote = document(conflict.remote, id: conflict.documentID)
        let question = Conflict(
            documentID: conflict.documentID,
            localDocument: local,
            remoteDocument: remote
        )
        let answer = ServiceCallback.run { resolver.resolve(conflict: question) }
        guard let answer else { return .delete }
        if answer === local { return .keepLocal }
        if answer === remote { return .keepRemote }
        if let home = answer.collection, home !== collection, home != collection {
            throw ReplicationFailure.resolvedElsewhere(documentID: conflict.documentID).error
        }
        if answer.id != conflict.documentID {
            Journal.sync.warning(
                "Document \(conflict.documentID): the conflict resolver returned one with ID "
                    + "\(answer.id); its content is stored under the right ID"
            )
        }
        var composer = BodyComposer(for: collection.database)
        let composed = try composer.compose(answer.root.members)
        return .merge(body: composed.body, retaining: Retained(composed.holds))
    }

    private func document(_ leaf: Leaf, id: String) -> Document? {
        guard !leaf.isTombstone else { return nil }
        let state = RevisionState(revisionID: leaf.revisionID, sequence: 0, isTombstone: false)
        return Document(id: id, state: state, body: leaf.body, collection: collection)
    }
}
