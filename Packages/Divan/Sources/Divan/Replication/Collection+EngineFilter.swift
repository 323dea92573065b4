import DivanReplicator

extension Collection {
    /// The application's filter as the engine asks it: with a body instead of a document.
    func engineFilter(_ filter: @escaping ReplicationFilter) -> DocumentFilter {
        let filter = Confided(filter)
        return { documentID, body, flags in
            let document = Document(
                id: documentID,
                state: nil,
                body: body,
                collection: self,
                isEditable: false
            )
            let flags = DocumentFlags(rawValue: Int(flags.rawValue))
            return ServiceCallback.run { filter.closure(document, flags) }
        }
    }
}
