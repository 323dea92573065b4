import CouchbaseLiteSwift
import DivanCommandLine
import DivanRevisions

/// The blobs that documents refer to and that are not in the database.
struct MissingBlobs {
    /// One blob, and the document that refers to it.
    struct Content: Sendable {
        let blob: Blob
        let documentID: DocumentID
    }

    private(set) var blobs: [Content] = []
    private var known: Set<Blob> = []

    init(_ database: Database, _ arguments: Arguments) throws {
        let ids = arguments.operands.indices.dropFirst(2).map { arguments.documentID(at: $0) }
        let isOne = arguments.value("--collection") != nil || !ids.isEmpty
        let name = try arguments.collection()
        let collections = try database.collections(named: isOne ? [name] : [])
        for collection in collections {
            guard ids.isEmpty else {
                for id in ids { try add(id, of: collection) }
                continue
            }
            for id in try collection.documentIDs() {
                take(try collection.document(id: id), DocumentID(unchecked: id))
            }
        }
    }

    private mutating func add(_ id: DocumentID, of collection: CouchbaseLiteSwift.Collection) throws
    {
        guard let document = try collection.document(id: id.text) else {
            throw Failure.noDocument(id.text, in: collection.qualifiedName.wireName)
        }
        take(document, id)
    }

    private mutating func take(_ document: Document?, _ id: DocumentID) {
        guard let document else { return }
        visit(document.toDictionary(), id)
    }

    private mutating func visit(_ value: Any, _ id: DocumentID) {
        switch value {
        case let blob as Blob:
            guard !blob.isHere, known.insert(blob).inserted else { return }
            blobs.append(Content(blob: blob, documentID: id))
        case let members as [String: Any]: for member in members.values { visit(member, id) }
        case let items as [Any]: for item in items { visit(item, id) }
        default: break
        }
    }
}
