import Dispatch
import DivanDatabase
import DivanRevisions
import Synchronization

/// The listeners of one `Database` object, fed by the commits of its file.
///
/// Safe to use from any thread. Changes are posted on the committing thread, after the commit.
final class DatabaseChanges: Sendable {
    private struct DocumentKey: Hashable {
        let life: CollectionLifetime
        let documentID: StoredID
    }

    private struct State {
        var observation: StoreObservation?
        var collections: [CollectionLifetime: ListenerList<CollectionChange>] = [:]
        var documents: [DocumentKey: ListenerList<DocumentChange>] = [:]

        mutating func list(for key: DocumentKey) -> ListenerList<DocumentChange> {
            if let list = documents[key] { return list }
            let list = ListenerList<DocumentChange>()
            documents[key] = list
            return list
        }
    }

    /// Document IDs in one `CollectionChange`; longer commits are split.
    private static let documentCountLimit = 1_000

    private let state = Mutex(State())

    /// Starts observing the commits of `store`.
    func observe(_ store: Store, for database: Database) {
        let observation = store.observe { [weak database, weak self] change in
            guard let database, let self else { return }
            post(change, in: database)
        }
        state.withLock { $0.observation = observation }
    }

    /// The listeners for changes to any document of a collection.
    func listeners(of collection: Collection) -> ListenerList<CollectionChange> {
        state.withLock { state in
            if let list = state.collections[collection.life] { return list }
            let list = ListenerList<CollectionChange>()
            state.collections[collection.life] = list
            return list
        }
    }

    func addDocumentListener(
        _ id: String,
        in collection: Collection,
        queue: DispatchQueue?,
        _ body: @escaping @Sendable (DocumentChange) -> Void
    ) -> ListenerToken {
        let key = DocumentKey(life: collection.life, documentID: StoredID(unchecked: id))
        // Added under the lock, or `removeIfUnused` might remove the list in between.
        return state.withLock { state in
            state.list(for: key).add(
                queue: queue,
                removed: { [weak self] in self?.removeIfUnused(key) },
                body
            )
        }
    }

    func addInlineDocumentListener(
        _ id: String,
        in collection: Collection,
        ended: @escaping @Sendable () -> Void,
        _ body: @escaping @Sendable (DocumentChange) -> Void
    ) -> ListenerToken {
        let key = DocumentKey(life: collection.life, documentID: StoredID(unchecked: id))
        return state.withLock { state in
            state.list(for: key).addInline(
                removed: { [weak self] in self?.removeIfUnused(key) },
                ended: ended,
                body
            )
        }
    }

    /// Ends the deliveries of a collection that was deleted.
    func end(_ life: CollectionLifetime) {
        let (collection, documents) = state.withLock { state in
            let documents = state.documents.filter { $0.key.life == life }
            for key in documents.keys { state.documents[key] = nil }
            return (state.collections.removeValue(forKey: life), documents.values)
        }
        collection?.end()
        for list in documents { list.end() }
    }

    /// Ends all deliveries because the database is closed.
    func end() {
        let (observation, collections, documents) = state.withLock { state in
            defer { state = State() }
            return (state.observation, state.collections.values, state.documents.values)
        }
        observation?.cancel()
        for list in collections { list.end() }
        for list in documents { list.end() }
    }

    /// Removes the list of a document that no longer has listeners.
    private func removeIfUnused(_ key: DocumentKey) {
        state.withLock { state in
            if state.documents[key]?.isEmpty == true { state.documents[key] = nil }
        }
    }

    private func post(_ change: StoreChange, in database: Database) {
        guard !change.endsCollection else { return }
        guard let life = database.file.life(of: change) else { return }
        let (listeners, documents) = state.withLock { ($0.collections[life], $0.documents) }
        guard listeners != nil || !documents.isEmpty else { return }

        let collection = Collection(path: change.collection, life: life, database: database)
        var rest = change.changes[...]
        while let listeners, !rest.isEmpty {
            let ids = rest.prefix(Self.documentCountLimit).map(\.documentID.text)
            listeners.post(CollectionChange(collection: collection, documentIDs: ids))
            rest = rest.dropFirst(ids.count)
        }
        guard !documents.isEmpty else { return }
        for changed in change.changes {
            documents[DocumentKey(life: life, documentID: changed.documentID)]?.post(
                DocumentChange(documentID: changed.documentID.text, collection: collection)
            )
        }
    }
}
