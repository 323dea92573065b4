import DivanDatabase
import DivanRevisions

/// What a store should contain, as simply as possible: no trees, no rows, no files.
struct Model {
    struct Document: Equatable {
        var body: String
        var isTombstone: Bool
        /// Whether the remote is known to have the current revision.
        var isKnown = false
        /// The remote's side of a conflict; its body, `nil` for a tombstone.
        var remote: Remote?
        var expiration: Int64?
    }

    struct Remote: Equatable {
        var body: String?
    }

    struct Collection: Equatable {
        var documents: [DocumentID: Document] = [:]
        var lastSequence: UInt64 = 0

        var liveCount: Int { documents.values.count { !$0.isTombstone } }
    }

    var collections: [CollectionPath: Collection] = [.default: Collection()]
    /// The last sequences of collections that were deleted.
    var ends: [CollectionPath: UInt64] = [:]
    var checkpoint: String?
    /// The collection that it is for and is deleted with.
    var checkpointCollection: CollectionPath?

    /// A local save; whether it is stored.
    mutating func save(_ id: DocumentID, _ path: CollectionPath, _ body: String?) {
        var document = self[id, path] ?? Document(body: "", isTombstone: false)
        document.body = body ?? "{}"
        document.isTombstone = body == nil
        document.isKnown = false
        // Nothing is left to decide if both sides deleted the document: the remote's tombstone becomes current.
        if body == nil, let remote = document.remote, remote.body == nil {
            document.remote = nil
            document.isKnown = true
        }
        store(document, id, path)
    }

    /// A revision from the remote that continues the current one.
    mutating func `continue`(_ id: DocumentID, _ path: CollectionPath, _ body: String?) {
        save(id, path, body)
        collections[path]?.documents[id]?.isKnown = true
    }

    /// A first revision from the remote, in addition to whatever is here.
    mutating func root(_ id: DocumentID, _ path: CollectionPath, _ body: String?) {
        guard var document = self[id, path], document.remote != nil || !document.isKnown else {
            // Nothing of our own is here: the remote's new branch replaces its old one.
            return self.continue(id, path, body)
        }
        document.remote = Remote(body: body)
        store(document, id, path)
    }

    mutating func resolve(_ id: DocumentID, _ path: CollectionPath, _ decision: ConflictDecision) {
        guard var document = self[id, path], let remote = document.remote else { return }
        document.remote = nil
        document.isKnown = false
        switch decision {
        case .merge(let body, _):
            document.body = String(decoding: body, as: UTF8.self)
            document.isTombstone = false
        case _ where document.isTombstone && remote.body == nil, .keepRemote:
            document.body = remote.body ?? "{}"
            document.isTombstone = remote.body == nil
            document.isKnown = true
        case .keepLocal:
            break
        case .delete:
            document.body = "{}"
            document.isTombstone = true
            document.isKnown = remote.body == nil
        }
        store(document, id, path)
    }

    /// Purges what expires by `time`; returns how many there were.
    mutating func expire(_ time: Int64) -> Int {
        var count = 0
        for path in collections.keys {
            for (id, document) in collections[path]?.documents ?? [:] {
                guard let expiration = document.expiration, expiration <= time else { continue }
                collections[path]?.documents[id] = nil
                count += 1
            }
        }
        return count
    }

    subscript(id: DocumentID, path: CollectionPath) -> Document? {
        collections[path]?.documents[id]
    }

    private mutating func store(_ document: Document, _ id: DocumentID, _ path: CollectionPath) {
        collections[path]?.documents[id] = document
        collections[path]?.lastSequence += 1
    }
}

extension Model {
    /// What a store contains, in terms of the model; marks and the remote's side are left out.
    init(of store: Store) throws {
        collections = [:]
        checkpoint = try store.localCheckpoint("cp").map { String(decoding: $0, as: UTF8.self) }
        try store.read { reader in
            for path in try reader.collections() {
                var collection = Collection(lastSequence: try reader.lastSequence(in: path))
                let stored = try reader.documents(in: path, after: 0, limit: .max >> 1)
                for document in stored {
                    let conflict = try reader.conflict(of: document.documentID, in: path)
                    collection.documents[document.documentID] = Document(
                        body: document.text,
                        isTombstone: document.isTombstone,
                        remote: conflict.map { conflict in
                            Remote(
                                body: conflict.remote.isTombstone
                                    ? nil : String(decoding: conflict.remote.body, as: UTF8.self)
                            )
                        },
                        expiration: try reader.expiration(of: document.documentID, in: path)
                    )
                }
                guard try reader.count(in: path) == collection.liveCount else {
                    throw Unexpected(outcome: "the count of \(path)")
                }
                collections[path] = collection
            }
        }
    }

    /// The same without what `init(of:)` leaves out.
    var visible: Model {
        var visible = self
        for (path, collection) in collections {
            for id in collection.documents.keys {
                visible.collections[path]?.documents[id]?.isKnown = false
            }
        }
        return visible
    }

    /// The first difference, as text; `nil` if there is none.
    func difference(from other: Model) -> String? {
        if checkpoint != other.checkpoint { return "checkpoint" }
        if Set(collections.keys) != Set(other.collections.keys) { return "collections" }
        for (path, collection) in collections {
            guard let others = other.collections[path] else { return "\(path)" }
            if collection.lastSequence != others.lastSequence { return "sequence of \(path)" }
            let ids = Set(collection.documents.keys).union(others.documents.keys)
            for id in ids where collection.documents[id] != others.documents[id] {
                let (found, owed) = (collection.documents[id], others.documents[id])
                return "\(path)/\(id): \(found as Any), not \(owed as Any)"
            }
        }
        return nil
    }
}
