import CouchbaseLiteSwift
import DivanCommandLine
import Synchronization

/// Documents that the command line's conditions excluded from a pull, until the replicator reports them.
///
/// The replicator reports documents that a pull filter refuses as errors, although the user asked for that.
final class SkippedDocuments: Sendable {
    private struct Place: Hashable {
        let collection: CollectionName?
        let id: [UInt8]
    }

    private let places = Mutex<Set<Place>>([])

    /// The same filter, which also remembers what it refuses.
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

    /// Whether a document was left out; answering forgets it.
    func take(_ document: ReplicatedDocument) -> Bool {
        let name = CollectionName(scope: document.scope, name: document.collection)
        let place = Place(collection: name, id: Array(document.id.utf8))
        return places.withLock { $0.remove(place) != nil }
    }
}
