import DivanJSON
import DivanReplicator
import DivanRevisions
import DivanStore
import Synchronization
import Testing

/// A database in memory, and its changes since the last request for them.
final class Site {
    let store: Store
    private let seen: Changes
    private let observation: StoreObservation

    private final class Changes: Sendable {
        let list = Mutex<[StoreChange]>([])
    }

    init(_ store: Store = .inMemory(), collections: [CollectionPath] = []) throws {
        let seen = Changes()
        for path in collections { try store.createCollection(path) }
        self.store = store
        self.seen = seen
        observation = store.observe { change in seen.list.withLock { $0.append(change) } }
    }

    /// Resolves a waiting conflict like a driver, unless it no longer exists.
    func settle(
        _ pending: PendingConflict,
        closesRemote: Bool,
        by resolve: (StoredConflict) -> ConflictDecision
    ) throws {
        let (id, path) = (pending.documentID, pending.collection)
        guard let conflict = try store.read({ try $0.conflict(of: id, in: path) }) else { return }
        try store.write { writer in
            _ = try writer.resolveConflict(
                id,
                in: path,
                local: conflict.local.revisionID,
                remote: conflict.remote.revisionID,
                decision: resolve(conflict),
                closesRemote: closesRemote
            )
        }
    }

    func takeChanges() -> [StoreChange] {
        seen.list.withLock { list in
            defer { list = [] }
            return list
        }
    }

    /// Saves a document on top of the current revision.
    @discardableResult
    func save(
        _ documentID: DocumentID,
        _ body: String,
        in path: CollectionPath = .default,
        hasBlobs: Bool = false
    ) throws -> RevisionID {
        try write(documentID, body, path, isTombstone: false, hasBlobs)
    }

    @discardableResult
    func delete(_ documentID: DocumentID, in path: CollectionPath = .default) throws -> RevisionID {
        try write(documentID, "{}", path, isTombstone: true, false)
    }

    /// Stores a revision of document `a` that another server sent, beside the existing one or in its place.
    func receive(_ revisionID: String, _ body: String, from url: String) throws {
        let remote = try store.remoteID(for: url)
        try store.write { writer in
            _ = try writer.insert(
                RemoteRevision(
                    documentID: "a",
                    revisionID: try #require(RevisionID(revisionID)),
                    body: Array(body.utf8),
                    remote: remote
                ),
                in: .default
            )
        }
    }

    /// Resolves the conflict of document `a` in favour of the server.
    func keepRemote() throws {
        let conflict = try #require(
            try store.read { try $0.conflict(of: "a", in: .default) }
        )
        try store.write { writer in
            _ = try writer.resolveConflict(
                "a",
                in: .default,
                local: conflict.local.revisionID,
                remote: conflict.remote.revisionID,
                decision: .keepRemote
            )
        }
    }

    private func write(
        _ documentID: DocumentID,
        _ body: String,
        _ path: CollectionPath,
        isTombstone: Bool,
        _ hasBlobs: Bool
    ) throws -> RevisionID {
        let canonical = try JSON(parsing: body).canonicalBytes()
        return try store.write { writer in
            let outcome = try writer.save(
                documentID,
                in: path,
                body: canonical,
                isTombstone: isTombstone,
                hasBlobs: hasBlobs,
                parent: .current
            )
            guard case .saved(let document) = outcome else { throw Unexpected.conflict }
            return document.revisionID
        }
    }

    /// Saves a document whose member `pic` is a blob with this content.
    @discardableResult
    func saveBlob(
        _ documentID: DocumentID,
        _ content: [UInt8],
        type: String = "image/png",
        in path: CollectionPath = .default
    ) throws -> BlobDigest {
        let digest = try store.blobs.write(content)
        try save(documentID, Self.blobBody(digest, content.count, type), in: path, hasBlobs: true)
        return digest
    }

    static func blobBody(_ digest: BlobDigest, _ byteCount: Int, _ type: String) -> String {
        #"{"pic":{"@type":"blob","content_type":"\#(type)","digest":"\#(digest)","#
            + #""length":\#(byteCount)}}"#
    }

    /// Stores a revision under the caller's ID, with its ancestors.
    func put(
        _ documentID: DocumentID,
        _ revisions: [String],
        _ body: String,
        isTombstone: Bool = false,
        hasBlobs: Bool = false,
        in path: CollectionPath = .default
    ) throws {
        let ids = try revisions.map { text in
            guard let id = RevisionID(text) else { throw Unexpected.revisionID(text) }
            return id
        }
        try store.write { writer in
            _ = try writer.insert(
                RemoteRevision(
                    documentID: documentID,
                    revisionID: ids[0],
                    history: Array(ids.dropFirst()),
                    isTombstone: isTombstone,
                    body: Array(body.utf8),
                    hasBlobs: hasBlobs,
                    remote: nil,
                    refusesConflicts: true
                ),
                in: path
            )
        }
    }

    /// The live body of a document as text.
    func body(_ documentID: DocumentID, in path: CollectionPath = .default) throws -> String? {
        try store.read { try $0.document(documentID, in: path) }
            .map { String(decoding: $0.body, as: UTF8.self) }
    }

    func revision(_ documentID: DocumentID, in path: CollectionPath = .default) throws -> String? {
        try store.read { try $0.document(documentID, in: path, includingTombstones: true) }?
            .revisionID.description
    }

    /// Every document with its revision and body, tombstones included, in one comparable form.
    func contents(of path: CollectionPath = .default) throws -> [DocumentID: String] {
        var contents: [DocumentID: String] = [:]
        for document in try store.read({ try $0.documents(in: path, after: 0, limit: 100_000) }) {
            let body =
                document.isTombstone ? "deleted" : String(decoding: document.body, as: UTF8.self)
            contents[document.documentID] = "\(document.revisionID) \(body)"
        }
        return contents
    }

    /// Purges a document only here.
    func purge(_ documentID: DocumentID) throws {
        try store.write { _ = try $0.purge(documentID, in: .default) }
    }

    enum Unexpected: Error {
        case conflict
        case revisionID(String)
    }
}
