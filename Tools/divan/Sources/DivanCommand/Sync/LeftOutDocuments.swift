import Divan
import DivanCommandLine
import Synchronization

/// What the conditions of the command line kept from being pulled, until the replicator tells of it: to that
/// it is an error, as everything is that a pull filter refuses, and to whoever wrote the condition none.
final class LeftOutDocuments: Sendable {
    private struct Place: Hashable {
        let collection: CollectionName?
        let id: [UInt8]
    }

    private let places = Mutex<Set<Place>>([])

    /// The same filter, of which is remembered what it refuses.
    func noting(
        _ filter: ReplicationFilter?,
        of collection: CollectionName
    ) -> ReplicationFilter? {
        guard let filter else { return nil }
        return { [self] document, flags in
            if filter(document, flags) { return true }
            let place = Place(collection: collection, id: Array(document.id.utf8))
            places.withLock { _ = $0.insert(place) }
            return false
        }
    }

    /// Whether a document was left out, which is forgotten with the answer.
    func take(_ document: ReplicatedDocument) -> Bool {
        let name = CollectionName(scope: document.scope, name: document.collection)
        let place = Place(collection: name, id: Array(document.id.utf8))
        return places.withLock { $0.remove(place) != nil }
    }
}
