internal import DivanCrypto
internal import Synchronization

/// The blobs that documents reference by digest, shared by all collections of a database.
///
/// Each blob is stored once and never changes. May be used from any thread.
///
/// Source: `blobs.md` §2 and §3.
public final class BlobStore: Sendable {
    let storage: any BlobStorage
    private let holds = Mutex<[BlobDigest: Int]>([:])
    // Lost blobs whose holders assume that they are stored.
    private let lost = Mutex<[BlobDigest: StoreError]>([:])
    // Cursors whose file is open between two pieces.
    private let openCursorCount = Atomic<Int>(0)

    /// Creates a store that uses a blob storage exclusively.
    public init(_ storage: any BlobStorage) {
        self.storage = storage
    }

    /// The directory of the files; `nil` for a store in memory.
    public var directory: String? { storage.directory }

    /// Whether the blob is stored.
    public func contains(_ digest: BlobDigest) -> Bool {
        storage.byteCount(digest) != nil
    }

    /// The size of a blob, or `nil` if it is not stored.
    public func byteCount(_ digest: BlobDigest) -> Int? {
        storage.byteCount(digest)
    }

    /// Reads a complete blob.
    ///
    /// For large blobs, use `reader(_:)`.
    ///
    /// - Throws: `StoreError.Code.noSuchBlob`, or the system's error.
    public func read(_ digest: BlobDigest) throws(StoreError) -> [UInt8] {
        let reader = try reader(digest)
        var content: [UInt8] = []
        content.reserveCapacity(reader.byteCount)
        while true {
            let piece = try reader.read(upTo: StoreLimits.blobPieceByteCount)
            if piece.isEmpty { return content }
            content += piece
        }
    }

    /// Opens a blob for reading in pieces; it stays readable even if it is garbage-collected in the meantime.
    ///
    /// - Throws: `StoreError.Code.noSuchBlob`, or the system's error.
    public func reader(_ digest: BlobDigest) throws(StoreError) -> BlobReader {
        BlobReader(try storage.source(digest))
    }

    /// Stores a complete blob and returns its digest.
    ///
    /// A compaction may remove it until a document references it. If you save such a document next, use
    /// `writeHeld(_:)`.
    public func write(_ content: [UInt8]) throws(StoreError) -> BlobDigest {
        try writeHeld(content).digest
    }

    /// Stores a complete blob, and protects it from garbage collection until the hold is released.
    public func writeHeld(_ content: [UInt8]) throws(StoreError) -> BlobHold {
        let hold = hold(BlobDigest(hashing: content.span))
        guard !contains(hold.digest) else { return hold }
        let writer = try writer()
        try writer.append(content)
        return try writer.finishHeld(expected: hold.digest)
    }

    /// Begins to write a blob in pieces.
    public func writer() throws(StoreError) -> BlobWriter {
        BlobWriter(try storage.sink(), for: self)
    }

    /// Syncs every complete blob to the disk and gives it its final name.
    ///
    /// A transaction that references blobs calls it before it commits. Other callers need it only before they
    /// access the files directly.
    ///
    /// - Throws: The system's error. The blobs are then lost, because the system cannot confirm that they are on
    ///   the disk. As long as one of them is held and not written again, every call throws the same error.
    public func settle() throws(StoreError) {
        try storage.rewriteUnsynced { isHeld($0) }
        try storage.settle()
        let failure = lost.withLock { lost in
            lost.merge(storage.takeLost()) { $1 }
            lost = lost.filter { digest, _ in isHeld(digest) && !contains(digest) }
            return lost.values.first
        }
        if let failure { throw failure }
    }

    private func isHeld(_ digest: BlobDigest) -> Bool {
        holds.withLock { $0[digest] != nil }
    }

    /// Whether one more cursor may keep its file open; it calls `didClose` later.
    func mayStayOpen() -> Bool {
        let count = openCursorCount.add(1, ordering: .relaxed).newValue
        guard count > StoreLimits.openCursorCount else { return true }
        didClose()
        return false
    }

    func didClose() {
        openCursorCount.subtract(1, ordering: .relaxed)
    }

    /// Continues a blob that an earlier attempt may have written partially.
    ///
    /// Its bytes are kept when the writer is released. `byteCount` is the size of the existing part. In memory and
    /// in an encrypted store, parts are not kept. A blob that is being written elsewhere starts over.
    public func writer(resuming digest: BlobDigest) throws(StoreError) -> BlobWriter {
        if let writer = try BlobWriter(resuming: digest, for: self) { return writer }
        return try writer()
    }

    // MARK: Garbage

    /// Protects a blob from garbage collection until the hold is released, whether or not it is stored already.
    ///
    /// To download a blob, hold it *before* checking whether it is stored, and release the hold after inserting the
    /// revision that references it.
    public func hold(_ digest: BlobDigest) -> BlobHold {
        holds.withLock { $0[digest, default: 0] += 1 }
        return BlobHold(digest, in: self)
    }

    fileprivate func release(_ digest: BlobDigest) {
        holds.withLock { holds in
            let count = (holds[digest] ?? 0) - 1
            holds[digest] = count > 0 ? count : nil
        }
    }

    /// The result of a garbage collection.
    public struct Collection: Equatable, Sendable {
        /// Blobs removed.
        public internal(set) var removedCount = 0
        /// Bytes freed.
        public internal(set) var removedByteCount = 0
        /// Files in the directory that no blob store created.
        ///
        /// They are not removed.
        public internal(set) var unknownNames: [String] = []
        /// The damage of a document that may reference any blob, so that no blob was removed; `nil` if all
        /// documents could be read.
        public internal(set) var obstacle: StoreError?
    }

    /// Removes every blob that is neither in `used` nor held.
    ///
    /// No document may be saved in the meantime, which `Store.compact()` ensures. With `onlyCounting`
    /// nothing is removed; documents may then be saved, if `used` is determined after `contents`.
    func collectGarbage(
        among contents: (digests: [BlobDigest], unknownNames: [String]),
        keeping used: Set<BlobDigest>,
        onlyCounting: Bool = false
    ) throws(StoreError) -> Collection {
        var collection = Collection()
        collection.unknownNames = contents.unknownNames
        for digest in contents.digests where !used.contains(digest) {
            // Done under the lock, so that a hold taken now is either seen or finds the blob missing.
            let isRemoved = try holds.withLock { holds throws(StoreError) in
                guard holds[digest] == nil else { return false }
                collection.removedByteCount += storage.byteCount(digest) ?? 0
                if !onlyCounting { try storage.remove(digest) }
                return true
            }
            if isRemoved { collection.removedCount += 1 }
        }
        if !onlyCounting { try storage.removeParts(keeping: used) }
        return collection
    }
}

/// Protects a blob from garbage collection while this object exists.
public final class BlobHold: Sendable {
    /// The blob that is held.
    public let digest: BlobDigest
    private let blobs: BlobStore

    fileprivate init(_ digest: BlobDigest, in blobs: BlobStore) {
        self.digest = digest
        self.blobs = blobs
    }

    deinit {
        blobs.release(digest)
    }
}

/// Reads a blob from beginning to end.
///
/// Use it on one thread at a time.
public final class BlobReader {
    private let source: any BlobSource

    init(_ source: any BlobSource) {
        self.source = source
    }

    /// The total size of the blob.
    public var byteCount: Int { source.byteCount }

    /// Returns the next 1 to `limit` bytes; empty at the end.
    public func read(upTo limit: Int) throws(StoreError) -> [UInt8] {
        try source.read(upTo: limit)
    }

    /// The digest of the remaining content, to check whether a blob is intact.
    ///
    /// - Throws: The error of the read.
    public func digest() throws(StoreError) -> BlobDigest? {
        var hash = SHA1()
        while case let piece = try read(upTo: StoreLimits.blobPieceByteCount), !piece.isEmpty {
            hash.update(piece.span)
        }
        return BlobDigest(bytes: hash.finalize())
    }

    /// Moves to a position in the blob, counted from its start; reading continues there.
    public func seek(to offset: Int) {
        source.seek(to: offset)
    }
}

/// Writes a blob in pieces.
///
/// Use it on one thread at a time. Nothing is stored until `finish`. A writer that is released discards its bytes,
/// unless it resumes a blob.
public final class BlobWriter {
    private let intake: IncomingBlobWriter
    private let blobs: BlobStore
    private let keepsPart: Bool
    /// Bytes appended so far, including those of earlier attempts.
    public private(set) var byteCount = 0

    fileprivate init(_ sink: sending any BlobSink, for blobs: BlobStore) {
        intake = IncomingBlobWriter(sink)
        self.blobs = blobs
        keepsPart = false
    }

    /// Continues what an earlier attempt has left, a long part of which is digested on another thread;
    /// `nil` if no part is kept.
    fileprivate init?(resuming digest: BlobDigest, for blobs: BlobStore) throws(StoreError) {
        guard let (sink, source) = try blobs.storage.partialSink(digest) else { return nil }
        byteCount = source.byteCount
        intake = try IncomingBlobWriter(
            resuming: IncomingBlobWriter.Part(sink: sink, source: source)
        )
        self.blobs = blobs
        keepsPart = true
    }

    deinit {
        if keepsPart { intake.suspend() } else { intake.discard() }
    }

    /// Adds the next piece.
    ///
    /// - Throws: The system's error for this piece or an earlier one; the writer can then no longer be used.
    public func append(_ piece: Span<UInt8>) throws(StoreError) {
        try append(piece.withUnsafeBufferPointer { Array($0) })
    }

    /// Adds the next piece.
    ///
    /// Its memory may be retained until a thread has written and hashed it.
    ///
    /// - Throws: As for a span.
    public func append(_ piece: [UInt8]) throws(StoreError) {
        try intake.append(piece)
        byteCount += piece.count
    }

    /// Stores the blob under its digest, if it is not stored already, and returns the digest.
    ///
    /// - Throws: `StoreError.Code.blobMismatch` if `expected` is a different one; nothing is stored
    ///   then. The system's error for a piece.
    public func finish(expected: BlobDigest? = nil) throws(StoreError) -> BlobDigest {
        try finishHeld(expected: expected).digest
    }

    /// Stores the blob, and protects it from garbage collection until the hold is released.
    ///
    /// - Throws: As `finish(expected:)`.
    public func finishHeld(expected: BlobDigest? = nil) throws(StoreError) -> BlobHold {
        try finishHeld(expected: expected, replacing: false)
    }

    /// Stores the blob; with `replacing`, even if one with its digest is here, which is removed only once
    /// this one is complete and matches.
    func finishHeld(expected: BlobDigest?, replacing: Bool) throws(StoreError) -> BlobHold {
        guard let digest = BlobDigest(bytes: try intake.finalize()) else {
            throw StoreError(.corrupt("a SHA-1 digest has 20 bytes"))
        }
        if let expected, expected != digest {
            intake.discard()
            throw StoreError(.blobMismatch(expected: expected, actual: digest))
        }
        // Taken before the blob is there, or a compaction might run in between.
        let hold = blobs.hold(digest)
        if replacing { try blobs.storage.remove(digest) }
        try intake.store(as: digest)
        return hold
    }

    /// Discards the appended bytes.
    public func cancel() {
        intake.discard()
    }
}

// MARK: - Usage

extension BlobStore {
    /// How many blobs are stored, and their total size.
    public struct Usage: Equatable, Sendable {
        /// The number of distinct blobs.
        public var count: Int
        /// Their total size in bytes.
        public var byteCount: Int
    }

    /// Counts the stored blobs.
    ///
    /// It reads the size of each blob, which takes time if there are many.
    public func usage() throws(StoreError) -> Usage {
        var usage = Usage(count: 0, byteCount: 0)
        for digest in try storage.contents().digests {
            guard let byteCount = byteCount(digest) else { continue }
            usage.count += 1
            usage.byteCount += byteCount
        }
        return usage
    }
}
