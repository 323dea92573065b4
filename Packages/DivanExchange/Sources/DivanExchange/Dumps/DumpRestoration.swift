@_spi(Stores) public import CouchbaseLiteSwift
public import DivanDatabase
public import DivanPlatform
import DivanQuery
import DivanRevisions

/// Recreates a database from dumps.
///
/// Documents keep their revision IDs, history, conflicts, blobs, expirations and sequences. The database has its own
/// UUIDs, so its first replication with each peer compares all documents. It gets its name once it is complete.
///
/// ```swift
/// let restoration = try DumpRestoration(creating: bundle)
/// try restoration.read([ByteSource(path: "shop.dump")])
/// ```
public final class DumpRestoration {
    private let draft: StoreDraft
    private let now: Int64
    private let key: EncryptionKey?
    private var store: Store?
    private var reader = DumpReader()
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
    public private(set) var documentCount = 0
    /// Blobs stored.
    public private(set) var blobCount = 0
    /// Documents that have expired, and are left out; known at the end.
    public private(set) var expiredCount = 0
    /// Indexes made; known at the end.
    public private(set) var indexCount = 0
    /// A line for each index that could not be made, with the reason.
    public private(set) var omittedIndexes: [String] = []

    /// Prepares to create a database.
    ///
    /// - Parameters:
    ///   - bundle: The directory `<name>.cblite2` that is created.
    ///   - key: The key to encrypt it with; `nil` for a plain database.
    ///   - now: Documents that have expired by this time are left out, in milliseconds since 1970.
    /// - Throws: `StoreError` with `alreadyExists` if something is already there.
    public init(
        creating bundle: String,
        key: EncryptionKey? = nil,
        now: Int64 = WallClock.milliseconds()
    ) throws {
        self.now = now
        self.key = key
        draft = try StoreDraft(of: bundle, while: "restoring")
    }

    /// Reads dumps, and creates the database: all of it, or nothing.
    ///
    /// - Parameters:
    ///   - sources: A dump, and then the dumps that continue it, in the order in which they were made.
    ///   - control: Receives the progress of the indexes at the end, and can stop it from another thread.
    ///   - progress: Is called for each line.
    /// - Throws: `ExchangeError` with `invalid` and the line for a truncated or changed dump, or with `noDump`;
    ///   `StoreError`; errors of the sources and the progress handler.
    public func read(
        _ sources: some Sequence<ByteSource>,
        indexing control: IndexBuildControl = IndexBuildControl(),
        progress: ProgressHandler = { _ in }
    ) throws {
        do {
            for source in sources { try read(source, progress) }
            try reader.finish()
            try finish(control)
        } catch {
            cancel()
            guard var error = error as? ExchangeError, error.code == .invalid,
                let digest = alteredBlobs.first
            else { throw error }
            error.problem += "; the content of blob \(digest) was changed"
            throw error
        }
    }

    private func read(_ source: ByteSource, _ progress: ProgressHandler) throws {
        var before = reader.byteCount
        try reader.read(source) { line, reader in
            let byteCount = Int(clamping: reader.byteCount - before)
            before = reader.byteCount
            try take(line, remotes: reader.knownRemotes, byteCount: byteCount)
            try progress(
                ExchangeProgress(documentCount: documentCount, byteCount: reader.byteCount)
            )
        }
    }

    /// Blobs that documents refer to and that no dump contains.
    public var missingBlobs: [BlobDigest] {
        missing.subtracting(altered).sorted()
    }

    /// Blobs whose content in the dumps does not match their digests; at the end, those that no dump
    /// contains intact.
    public var alteredBlobs: [BlobDigest] {
        altered.sorted()
    }

    /// Takes the next line, which is known to fit.
    private func take(
        _ line: DumpLine,
        remotes: @autoclosure () -> Set<RemoteID>,
        byteCount: Int
    ) throws {
        switch line {
        case .head(let head):
            self.head = head
            collections = [.default: []]
            if store == nil {
                store = try draft.makeStore(scheme: head.scheme, key: key)
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
            if batch.count >= ExchangeLimits.batchCount
                || batchByteCount >= ExchangeLimits.batchByteCount
            {
                try commit()
            }
        case .standing(let standing): try take(standing)
        case .end(let end): try finish(end)
        }
    }

    /// Moves the database to its place.
    private func finish(_ control: IndexBuildControl) throws {
        guard let store else { return }
        // Only now: a later dump may have extended a document's expiration.
        expiredCount = try store.purgeExpired(now: now)
        documentCount -= expiredCount
        missing = missing.filter { !store.blobs.contains($0) }
        altered = altered.filter { !store.blobs.contains($0) }
        try store.write { try $0.setMigrations(head?.migrations ?? []) }
        try makeIndexes(in: store, control)
        self.store = nil
        try store.close()
        try draft.place()
    }

    /// Removes the incomplete database.
    private func cancel() {
        try? store?.close()
        store = nil
        draft.discard()
    }

    /// Creates the indexes, now that all documents are there.
    private func makeIndexes(in store: Store, _ control: IndexBuildControl) throws {
        // In the order of their names, so that equal dumps give equal lines.
        for (path, indexes) in collections.sorted(by: { "\($0.key)" < "\($1.key)" }) {
            for index in indexes {
                do {
                    let stored = try index.stored()
                    try store.write { try $0.createIndex(like: stored, in: path, control: control) }
                    indexCount += 1
                } catch let error as QueryError {
                    omittedIndexes.append("index \(index.name) of \(path.wireName): \(error)")
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
                try $0.places(in: line.collection, after: last, limit: ExchangeLimits.batchCount)
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
