import Divan
import DivanCommandLine
import DivanQuery
import DivanRevisions
import DivanStore

/// Creates a database from the lines of dumps.
///
/// It gets its name once it is complete (`StoreDraft`).
final class DumpRestoration {
    private let draft: StoreDraft
    private let now: Int64
    private let key: EncryptionKey?
    private var store: Store?
    private var head: DumpHead?
    /// Those that the last section names, with their indexes.
    private var collections: [CollectionPath: [DumpedIndex]] = [:]
    private var content: BlobWriter?
    private var batch: [Item] = []
    private var batchByteCount = 0
    private var absent: Set<BlobDigest> = []
    private var missing: Set<BlobDigest> = []
    private var altered: Set<BlobDigest> = []
    /// How far the lines of unchanged documents have come in each collection.
    private var through: [CollectionPath: UInt64] = [:]

    /// What a document becomes.
    private struct Item {
        var document: DumpedDocument
        var history: any RevisionHistory
    }

    /// Documents stored, tombstones too; one that was changed in a later dump counts again.
    private(set) var documentCount = 0
    /// Blobs stored.
    private(set) var blobCount = 0
    /// Documents that have expired, and are left out; known at the end.
    private(set) var expiredCount = 0
    /// Indexes made; known at the end.
    private(set) var indexCount = 0
    /// A line for each index that could not be made, with the reason.
    private(set) var leftOutIndexes: [String] = []

    /// - Parameters:
    ///   - target: Where the database will be; nothing may be there.
    ///   - now: Milliseconds since 1970.
    ///   - key: The key to encrypt it with; `nil` for a plain database.
    /// - Throws: `StoreError` if something is already there.
    init(_ target: DatabasePath, now: Int64, key: EncryptionKey?) throws {
        self.now = now
        self.key = key
        draft = try StoreDraft(of: target.bundle, while: "restoring")
    }

    /// Blobs that documents refer to and that no dump contains.
    var missingBlobs: [BlobDigest] {
        missing.subtracting(altered).sorted()
    }

    /// Blobs whose content in the dumps does not match their digests; at the end, those that no dump
    /// contains intact.
    var alteredBlobs: [BlobDigest] {
        altered.sorted()
    }

    /// Takes the next line, which is known to fit.
    func take(_ line: DumpLine, remotes: @autoclosure () -> Set<RemoteID>, byteCount: Int) throws {
        switch line {
        case .head(let head):
            self.head = head
            collections = [.default: []]
            if store == nil {
                let directory = draft.directory
                store = try DatabasePath.makeStore(at: directory, scheme: head.scheme, key: key)
            }
        case .remote(let id, let name):
            try store?.write { try $0.importRemote(name, as: id) }
        case .collection(let path, let indexes):
            collections[path] = indexes
            try store?.createCollection(path)
        case .piece(let piece): try take(piece)
        case .absent(let digest): absent.insert(digest)
        case .document(let document):
            try take(document, remotes())
            batchByteCount += byteCount
            if batch.count >= DumpLimits.batchCount
                || batchByteCount >= DumpLimits.batchByteCount
            {
                try commit()
            }
        case .standing(let standing): try take(standing)
        case .end(let end): try finish(end)
        }
    }

    /// Moves the database to its place.
    func finish() throws {
        guard let store else { return }
        // Only now: a later dump may have extended a document's expiration.
        expiredCount = try store.purgeExpired(now: now)
        documentCount -= expiredCount
        missing = missing.filter { !store.blobs.contains($0) }
        altered = altered.filter { !store.blobs.contains($0) }
        try makeIndexes(in: store)
        self.store = nil
        try store.close()
        try draft.place()
    }

    /// Leaves nothing behind.
    func cancel() {
        try? store?.close()
        store = nil
        draft.discard()
    }

    /// Creates the indexes, now that all documents are there.
    private func makeIndexes(in store: Store) throws {
        let watch = IndexWatch { _ in }
        Interruption.current?.onRequest { watch.cancel() }
        // In the order of their names, so that equal dumps give equal lines.
        for (path, indexes) in collections.sorted(by: { "\($0.key)" < "\($1.key)" }) {
            for index in indexes {
                do {
                    let stored = try index.stored()
                    try store.write { try $0.createIndex(like: stored, in: path, watch: watch) }
                    indexCount += 1
                } catch let error as QueryError {
                    leftOutIndexes.append("index \(index.name) of \(path.wireName): \(error)")
                }
            }
        }
    }

    // MARK: Blobs

    private func take(_ piece: BlobPiece) throws {
        guard let store else { return }
        if piece.offset == 0 { content = try store.blobs.writer() }
        try content?.append(piece.bytes)
        guard piece.offset + piece.bytes.count == piece.byteCount else { return }
        defer { content = nil }
        do throws(StoreError) {
            _ = try content?.finish(expected: piece.digest)
        } catch {
            guard case .blobMismatch = error.code else { throw error }
            // The end of the section shows whether the file was changed, or the blob before it was dumped.
            altered.insert(piece.digest)
            return
        }
        blobCount += 1
    }

    // MARK: Documents

    private func take(_ document: DumpedDocument, _ remotes: Set<RemoteID>) throws {
        guard let scheme = head?.scheme else { return }
        let history = try DumpedHistory.history(of: document, scheme: scheme, remotes: remotes)
        batch.append(Item(document: document, history: history))
    }

    private func commit() throws {
        guard let store, !batch.isEmpty else { return }
        try store.write { writer in
            for item in batch {
                let (document, history) = (item.document, item.history)
                try writer.importDocument(
                    document.documentID,
                    sequence: document.sequence,
                    history: history,
                    expiration: document.expiration,
                    in: document.collection
                )
                documentCount += 1
                try noteBlobs(of: history, document, writer, store)
            }
        }
        batch.removeAll(keepingCapacity: true)
        batchByteCount = 0
    }

    /// Records blobs that stayed at a peer, and those that are nowhere.
    private func noteBlobs(
        of history: any RevisionHistory,
        _ document: DumpedDocument,
        _ writer: StoreWriter,
        _ store: Store
    ) throws {
        for revision in history.revisionsWithBody where revision.flags.contains(.hasBlobs) {
            guard let body = revision.body else { continue }
            for digest in try BlobReferences.digests(in: body)
            where !store.blobs.contains(digest) {
                if absent.contains(digest) {
                    try writer.noteAbsent(digest, of: document.documentID, in: document.collection)
                } else {
                    missing.insert(digest)
                }
            }
        }
    }

    /// Purges what no longer exists, and sets the current expirations of the rest.
    private func take(_ line: UnchangedDocuments) throws {
        guard let store else { return }
        try commit()
        var last = through[line.collection] ?? 0
        var index = 0
        while last < line.through {
            let page = try store.read {
                try $0.places(in: line.collection, after: last, limit: DumpLimits.batchCount)
            }.prefix { $0.sequence <= line.through }
            guard let end = page.last else { break }
            try store.write { writer in
                for place in page {
                    while index < line.runs.count, line.runs[index].upperBound < place.sequence {
                        index += 1
                    }
                    let stands =
                        index < line.runs.count && line.runs[index].contains(place.sequence)
                    let time = line.expirations[place.sequence]
                    if !stands {
                        try writer.purge(place.documentID, in: line.collection)
                    } else if place.expiration != time {
                        try writer.setExpiration(time, of: place.documentID, in: line.collection)
                    }
                }
            }
            last = end.sequence
        }
        through[line.collection] = line.through
    }

    private func finish(_ end: DumpEnd) throws {
        through = [:]
        try commit()
        try store?.write { writer in
            // What was removed since the previous dump.
            for path in try writer.collections() where collections[path] == nil {
                try writer.deleteCollection(path)
            }
            for (path, sequence) in end.sequences {
                try writer.importCounter(sequence, in: path)
            }
        }
    }
}

extension DumpedIndex {
    /// - Throws: `QueryError` for a type that this version does not know.
    fileprivate func stored() throws(QueryError) -> StoredIndex {
        guard let kind = StoredIndex.Kind(rawValue: kind) else {
            throw QueryError("unsupported index type \(kind)")
        }
        return StoredIndex(
            name: name,
            kind: kind,
            source: source,
            language: language,
            ignoresAccents: ignoresAccents
        )
    }
}
