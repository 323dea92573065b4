import DivanReplicator

extension Collection {
    /// Adapts the application's filter to the engine, which passes a body instead of a document.
    func engineFilter(_ filter: @escaping ReplicationFilter) -> DocumentFilter {
        { revision in
            let isTombstone = revision.flags.contains(.deleted)
            let document = Document(
                id: revision.documentID,
                state: revision.revisionID.map {
                    RevisionState(revisionID: $0, sequence: 0, isTombstone: isTombstone)
                },
                body: revision.body,
                collection: self,
                isEditable: false
            )
            let flags = DocumentFlags(rawValue: Int(revision.flags.rawValue))
            return ServiceCallback.run { filter(document, flags) }
        }
    }
}
