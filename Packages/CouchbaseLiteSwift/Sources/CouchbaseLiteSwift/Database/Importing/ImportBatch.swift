import DivanCBLite
import DivanDatabase
import DivanRevisions

/// Documents that are stored together.
struct ImportBatch: Sendable {
    let path: CollectionPath
    private(set) var documents: [ForeignDocument] = []
    private(set) var byteCount = 0

    init(_ path: CollectionPath) {
        self.path = path
    }

    mutating func add(_ document: ForeignDocument) {
        // All that is held: a few bytes of a row may stand for many old bodies, and remotes share vectors.
        for revision in document.history.revisionsWithBody {
            byteCount += revision.body?.count ?? 0
        }
        if let vectors = document.history as? VectorHistory {
            for (mixed, _) in vectors.known {
                byteCount += 32 * (mixed.vector.versions.count + mixed.legacy.count)
            }
        }
        documents.append(document)
    }
}
