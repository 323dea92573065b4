import DivanDatabase
import DivanRevisions

extension Operation {
    /// Performs the step; once it returns, it must survive.
    func perform(on store: Store) throws {
        switch kind {
        case .save(let id):
            _ = try store.save(DocumentID(unchecked: id), in: .default, body: Array(body.utf8))
        case .batch:
            try store.write { writer in
                for id in batchIDs { try save(id, in: .default, writer) }
            }
        case .blob(let id, let content): try saveBlob(id, content, store)
        case .conflict: try store.write { try makeConflict($0) }
        case .resolve: try store.write { try resolve($0) }
        case .checkpoint:
            let last = try store.read { try $0.lastSequence(in: .default) }
            let text = "\(step) \(last)"
            try store.setLocalCheckpoint(lane.checkpoint, of: .default, Array(text.utf8))
        case .delete(let id):
            let revision = LocalRevision(deleting: DocumentID(unchecked: id))
            _ = try store.save(revision, in: .default)
        case .purge(let id):
            try store.write { _ = try $0.purge(DocumentID(unchecked: id), in: .default) }
        case .makeCollection:
            let path = try lane.collection()
            try store.write { writer in
                try writer.createCollection(path)
                try save(collectionID, in: path, writer)
            }
        case .dropCollection: try store.deleteCollection(lane.collection())
        case .makeIndex(let index):
            try store.write { writer in
                let name = lane.name(of: index)
                try writer.createIndex(name, index.definition, source: index.source, in: .default)
            }
        case .train: _ = try store.trainVectorIndex(lane.name(of: .vectors), in: .default)
        case .dropIndex(let index):
            try store.write { try $0.deleteIndex(lane.name(of: index), in: .default) }
        case .compact: try store.compact()
        case .pack(let codec, let isCompacting):
            try store.write { try $0.packBodies(of: .default, with: codec) }
            if isCompacting { try store.compact() }
        }
    }

    private func save(
        _ id: String,
        in path: CollectionPath,
        _ writer: StoreWriter
    ) throws {
        _ = try writer.save(DocumentID(unchecked: id), in: path, body: Array(body.utf8))
    }

    private func saveBlob(_ id: String, _ content: [UInt8], _ store: Store) throws {
        let digest = BlobDigest(hashing: content.span)
        let hold = store.blobs.hold(digest)
        _ = try store.blobs.write(content)
        let body = Array(Self.blobBody(digest, step).utf8)
        let revision = LocalRevision(DocumentID(unchecked: id), body: body, hasBlobs: true)
        _ = try store.save(revision, in: .default)
        withExtendedLifetime(hold) {}
    }

    static func blobBody(_ digest: BlobDigest, _ step: UInt64) -> String {
        #"{"photo":{"@type":"blob","digest":"\#(digest)"},"step":\#(step)}"#
    }

    private func makeConflict(_ writer: StoreWriter) throws {
        try save(conflictID, in: .default, writer)
        let digits = String(step, radix: 16)
        let digest = String(repeating: "0", count: 40 - digits.count) + digits
        guard let revisionID = RevisionID("1-\(digest)") else {
            throw CrashFailure("1-\(digest) is no revision ID")
        }
        let theirs = RemoteRevision(
            documentID: DocumentID(unchecked: conflictID),
            revisionID: revisionID,
            body: Array(#"{"theirs":true}"#.utf8),
            remote: RemoteID(rawValue: 1)
        )
        _ = try writer.insert(theirs, in: .default)
    }

    private func resolve(_ writer: StoreWriter) throws {
        let conflicted = try writer.conflicts(in: .default).filter {
            $0.text.hasPrefix(lane.conflictPrefix)
        }
        let start = DocumentID(unchecked: lane.conflictPrefix)
        let ids = try writer.documentIDs(in: .default, after: start, limit: 10_000)
        for id in ids where id.text.hasPrefix(lane.conflictPrefix) && !conflicted.contains(id) {
            try writer.purge(id, in: .default)
        }
        for id in conflicted {
            guard let conflict = try writer.conflict(of: id, in: .default) else {
                throw CrashFailure("\(id) is listed as in conflict and is not")
            }
            _ = try writer.resolveConflict(
                id,
                in: .default,
                local: conflict.local.revisionID,
                remote: conflict.remote.revisionID,
                decision: .merge(body: Array(body.utf8), hasBlobs: false)
            )
        }
    }
}
