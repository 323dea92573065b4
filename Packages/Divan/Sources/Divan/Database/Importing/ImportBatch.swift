import DivanCBLite
import DivanRevisions
import DivanStore

/// Documents that are stored together.
struct ImportBatch: Sendable {
    let path: CollectionPath
    private(set) var documents: [ForeignDocument] = []
    private(set) var byteCount = 0

    init(_ path: CollectionPath) {
        self.path = path
    }

    mutating func add(_ document: ForeignDocument) {
        byteCount += document.current?.body?.count ?? 0
        documents.append(document)
    }
}
