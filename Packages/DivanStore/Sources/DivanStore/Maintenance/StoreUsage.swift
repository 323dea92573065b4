internal import DivanRevisions

/// The disk space that a database takes, by collection and kind.
public struct StoreUsage: Equatable, Sendable {
    /// The space that a collection takes.
    public struct Collection: Equatable, Sendable {
        /// The collection.
        public let path: CollectionPath
        /// Documents, not counting tombstones.
        public internal(set) var documentCount = 0
        /// Deleted documents, whose histories are kept.
        public internal(set) var tombstoneCount = 0
        /// Damaged documents that cannot be read; neither they nor the blobs that only they reference are included
        /// in other figures.
        public internal(set) var damagedCount = 0
        /// Bytes of the current revisions' bodies.
        public internal(set) var bodyByteCount = 0
        /// Bytes of the largest of them.
        public internal(set) var largestBodyByteCount = 0
        /// Bytes of histories: revision IDs, and compressed old and conflicting bodies.
        public internal(set) var historyByteCount = 0
        /// Stored blobs that its documents reference, each counted once.
        public internal(set) var blobCount = 0
        /// Bytes of these blobs; a blob referenced by two collections counts for both.
        public internal(set) var blobByteCount = 0
        /// Bytes of the pages of its indexes, including those of document IDs; `nil` if the engine does
        /// not know.
        public internal(set) var indexByteCount: Int?
    }

    /// The collections.
    public internal(set) var collections: [Collection] = []
    /// All blobs that are stored.
    public internal(set) var blobs: BlobStore.Usage
    /// Blobs that no document references, which `compact()` removes; includes blobs that only damaged documents
    /// reference.
    public internal(set) var unusedBlobs: BlobStore.Usage
    /// Bytes of the database file; 0 in memory.
    public internal(set) var fileByteCount = 0
    /// Bytes of the log that are not yet copied into the file.
    public internal(set) var logByteCount = 0
}

extension Store {
    /// Measures the disk space; reads every document once.
    ///
    /// - Throws: `StoreError` for unreadable data, but not for single documents, which are counted.
    public func usage() throws -> StoreUsage {
        let stored = try blobs.usage()
        let none = BlobStore.Usage(count: 0, byteCount: 0)
        var usage = StoreUsage(blobs: stored, unusedBlobs: none)
        // Each blob is looked up once, however many collections refer to it.
        var used: [BlobDigest: Int] = [:]
        try read { reader in
            let indexes = try reader.current().space?.indexByteCounts()
            for path in try reader.collections() {
                let found = try reader.usage(of: path)
                var collection = found.usage
                for digest in found.blobs where used[digest] == nil {
                    used[digest] = blobs.byteCount(digest)
                }
                let counts = found.blobs.compactMap { used[$0] }
                collection.blobCount = counts.count
                collection.blobByteCount = counts.reduce(0, +)
                collection.indexByteCount = indexes?[try reader.collection(path).id, default: 0]
                usage.collections.append(collection)
            }
        }
        usage.unusedBlobs.count = max(0, stored.count - used.count)
        usage.unusedBlobs.byteCount = max(0, stored.byteCount - used.values.reduce(0, +))
        if let place { (usage.fileByteCount, usage.logByteCount) = place.byteCounts }
        return usage
    }
}

extension StoreReader {
    /// What the rows of a collection take, and the blobs that they refer to.
    fileprivate func usage(
        of path: CollectionPath
    ) throws -> (usage: StoreUsage.Collection, blobs: Set<BlobDigest>) {
        var usage = StoreUsage.Collection(path: path)
        var digests: Set<BlobDigest> = []
        let collection = try collection(path)
        try current().forEachRow(in: collection.id) { result in
            let row: DocumentRow
            do {
                row = try result.get()
                if row.mayNameBlobs {
                    digests.formUnion(try history(of: row, in: collection).blobDigests())
                }
            } catch let error as StoreError where !error.isDamageOfOneDocument {
                throw error
            } catch {
                usage.damagedCount += 1
                return
            }
            if row.flags.contains(.tombstone) {
                usage.tombstoneCount += 1
            } else {
                usage.documentCount += 1
            }
            usage.bodyByteCount += row.bodyByteCount
            usage.largestBodyByteCount = max(usage.largestBodyByteCount, row.bodyByteCount)
            if case .encoded(let bytes) = row.tree { usage.historyByteCount += bytes.count }
        }
        return (usage, digests)
    }
}
