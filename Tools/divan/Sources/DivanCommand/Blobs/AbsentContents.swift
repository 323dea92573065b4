import Divan
import DivanCommandLine
import DivanRevisions
import DivanStore

/// The contents that documents name and that are not here.
struct AbsentContents {
    /// One, and the document that names it.
    struct Content: Sendable {
        let blob: Blob
        let documentID: DocumentID
    }

    private(set) var blobs: [Content] = []
    private var known: Set<BlobDigest> = []

    init(_ database: Database, _ arguments: Arguments) throws {
        let ids = arguments.operands.indices.dropFirst(2).map { arguments.documentID(at: $0) }
        let isOne = arguments.value("--collection") != nil || !ids.isEmpty
        let path = try arguments.collection()
        let collections = try database.collections(
            named: isOne ? [path] : [],
            creating: false
        )
        for collection in collections {
            guard ids.isEmpty else {
                for id in ids { try add(id, of: collection) }
                continue
            }
            for id in try Self.documentIDs(of: collection, arguments) {
                take(try collection.document(id: id.text), id)
            }
        }
    }

    private mutating func add(_ id: DocumentID, of collection: Divan.Collection) throws {
        guard let document = try collection.document(id: id.text) else {
            throw Failure(
                kind: .notFound,
                sentence: "there is no document \(id) in "
                    + "\(CollectionPath(of: collection).wireName); divan ls lists them"
            )
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
            guard !blob.isHere, let digest = BlobDigest(blob.digest ?? ""),
                known.insert(digest).inserted
            else { return }
            blobs.append(Content(blob: blob, documentID: id))
        case let members as [String: Any]: for member in members.values { visit(member, id) }
        case let items as [Any]: for item in items { visit(item, id) }
        default: break
        }
    }

    /// The documents with blobs; the others have nothing to fetch.
    private static func documentIDs(
        of collection: Divan.Collection,
        _ arguments: Arguments
    ) throws -> [DocumentID] {
        let store = try arguments.database.open(forWriting: false)
        defer { try? store.close() }
        var ids: [DocumentID] = []
        try store.read { reader in
            try reader.forEachDocument(in: CollectionPath(of: collection)) { document in
                if document.flags.contains(.hasBlobs) { ids.append(document.documentID) }
            }
        }
        return ids
    }
}
