internal import DivanCrypto
internal import Synchronization

/// The contents that documents name by digest, shared by all collections of a database.
///
/// Each content is stored once and never changes. May be used from any thread.
///
/// Source: `blobs.md` §2 and §3.
public final class BlobStore: Sendable {
    let shelf: any BlobShelf
    private let holds = Mutex<[BlobDigest: Int]>([:])
    // Contents that are gone although somebody holds them, who takes them for stored.
    private let lost = Mutex<[BlobDigest: StoreError]>([:])
    // Cursors whose file is open between two pieces.
    private let openCursorCount = Atomic<Int>(0)

    /// Creates a store over a shelf of any kind, which nobody else uses.
    public init(_ shelf: any BlobShelf) {
        self.shelf = shelf
    }

    /// The directory of the files; `nil` for a store in memory.
    public var directory: String? { shelf.directory }

    /// Whether the content is stored.
    public func contains(_ digest: BlobDigest) -> Bool {
        shelf.byteCount(digest) != nil
    }

    /// The size of a content, or `nil` when it is not stored.
    public func byteCount(_ digest: BlobDigest) -> Int? {
        shelf.byteCount(digest)
    }

    /// Reads a whole content; for large ones take a `reader(_:)`.
    ///
    /// - Throws: `StoreError.Code.noSuchBlob`, or the system's refusal.
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

    /// Opens a content for reading in pieces; it stays readable even if it is collected meanwhile.
    ///
    /// - Throws: `StoreError.Code.noSuchBlob`, or the system's refusal.
    public func reader(_ digest: BlobDigest) throws(StoreError) -> BlobReader {
        BlobReader(try shelf.source(digest))
    }

    /// Stores a whole content and returns its name.
    public func write(_ content: [UInt8]) throws(StoreError) -> BlobDigest {
        let digest = BlobDigest(hashing: content.span)
        guard !contains(digest) else { return digest }
        let writer = try writer()
        try writer.append(content)
        return try writer.finish(expected: digest)
    }

    /// Begins a content that arrives in pieces.
    public func writer() throws(StoreError) -> BlobWriter {
        BlobWriter(try shelf.sink())
    }

    /// Brings every complete content to the disk and under its published name.
    ///
    /// A transaction that names blobs does so before it commits; callers need it only before they
    /// look at the files themselves.
    ///
    /// - Throws: The system's refusal. The contents are then gone: the system could not say that
    ///   they reached the disk, and would not say so later. As long as one of them is held and not
    ///   written again, the same is thrown to all: who holds it may be the one who asks.
    public func settle() throws(StoreError) {
        defer { lost.withLock { $0.merge(shelf.takeLost()) { $1 } } }
        try shelf.settle()
        let failure = lost.withLock { lost in
            lost.merge(shelf.takeLost()) { $1 }
            lost = lost.filter { digest, _ in isHeld(digest) && !contains(digest) }
            return lost.values.first
        }
        if let failure { throw failure }
    }

    private func isHeld(_ digest: BlobDigest) -> Bool {
        holds.withLock { $0[digest] != nil }
    }

    /// Whether one more cursor may keep its file open; it says `didClose` then.
    func mayStayOpen() -> Bool {
        let count = openCursorCount.add(1, ordering: .relaxed).newValue
        guard count > StoreLimits.openCursorCount else { return true }
        didClose()
        return false
    }

    func didClose() {
        openCursorCount.subtract(1, ordering: .relaxed)
    }

    /// Goes on with a content of which a part may be here from an earlier attempt; what arrives is kept
    /// when the writer is dropped.
    ///
    /// `byteCount` says how much is here already. A store in memory keeps no parts, and a content that
    /// somebody else is writing begins anew.
    public func writer(resuming digest: BlobDigest) throws(StoreError) -> BlobWriter {
        guard let (sink, source) = try shelf.partialSink(digest) else { return try writer() }
        let writer = BlobWriter(sink, keepsPart: true)
        try writer.takeOver(source)
        return writer
    }

    // MARK: Garbage

    /// Keeps a content from being collected until the hold is dropped, whether it is stored
    /// already or not.
    ///
    /// Whoever fetches a blob holds it *before* asking whether it is stored, and drops the hold
    /// when the revision that names it is inserted.
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

    /// What a garbage collection did.
    public struct Collection: Equatable, Sendable {
        /// Contents removed.
        public internal(set) var removedCount = 0
        /// Bytes given back.
        public internal(set) var removedByteCount = 0
        /// Files in the directory that no blob store made; they were left alone.
        public internal(set) var unknownNames: [String] = []
    }

    /// Removes every content that is neither in `used` nor held.
    ///
    /// No document may be saved meanwhile: `Store.compact()` sees to that. With `onlyCounting` nothing is
    /// removed; documents may be saved then, if `used` is asked for after `contents`.
    func collectGarbage(
        among contents: (digests: [BlobDigest], unknownNames: [String]),
        keeping used: Set<BlobDigest>,
        onlyCounting: Bool = false
    ) throws(StoreError) -> Collection {
        var collection = Collection()
        collection.unknownNames = contents.unknownNames
        for digest in contents.digests where !used.contains(digest) {
            // Under the lock, so that a hold taken now is either seen or finds the blob gone.
            let isRemoved = try holds.withLock { holds throws(StoreError) in
                guard holds[digest] == nil else { return false }
                collection.removedByteCount += shelf.byteCount(digest) ?? 0
                if !onlyCounting { try shelf.remove(digest) }
                return true
            }
            if isRemoved { collection.removedCount += 1 }
        }
        if !onlyCounting { try shelf.removeParts(keeping: used) }
        return collection
    }
}

/// Keeps one content from being collected for as long as it lives.
public final class BlobHold: Sendable {
    /// The content that is held.
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

/// Reads one content from front to back; confined to one thread at a time.
public final class BlobReader {
    private let source: any BlobSource

    init(_ source: any BlobSource) {
        self.source = source
    }

    /// The size of the whole content.
    public var byteCount: Int { source.byteCount }

    /// Returns the next 1 to `limit` bytes; empty at the end.
    public func read(upTo limit: Int) throws(StoreError) -> [UInt8] {
        try source.read(upTo: limit)
    }

    /// The digest of what is left to read.
    func digest() throws(StoreError) -> BlobDigest? {
        var hash = SHA1()
        while case let piece = try read(upTo: StoreLimits.blobPieceByteCount), !piece.isEmpty {
            hash.update(piece.span)
        }
        return BlobDigest(bytes: hash.finalize())
    }

    /// Goes to a place of the content, counted from its start; reading continues there.
    public func seek(to offset: Int) {
        source.seek(to: offset)
    }
}

/// Takes in one content in pieces; confined to one thread at a time.
///
/// Nothing is stored until `finish`; a writer that is dropped leaves nothing behind, unless it goes on
/// with a part.
public final class BlobWriter {
    private let sink: any BlobSink
    private let keepsPart: Bool
    private let hash = BlobHash()
    /// Bytes appended so far, those of earlier attempts among them.
    public private(set) var byteCount = 0

    fileprivate init(_ sink: any BlobSink, keepsPart: Bool = false) {
        self.sink = sink
        self.keepsPart = keepsPart
    }

    deinit {
        if keepsPart { sink.suspend() } else { sink.discard() }
    }

    /// Hashes what an earlier attempt has left.
    fileprivate func takeOver(_ source: any BlobSource) throws(StoreError) {
        while case let piece = try source.read(upTo: StoreLimits.blobPieceByteCount), !piece.isEmpty
        {
            hash.update(piece)
            byteCount += piece.count
        }
    }

    /// Adds the next piece.
    ///
    /// - Throws: The system's refusal; the writer is of no more use then.
    public func append(_ piece: Span<UInt8>) throws(StoreError) {
        try sink.append(piece)
        hash.update(piece)
        byteCount += piece.count
    }

    /// Adds the next piece, whose memory may be kept until a thread has digested it.
    ///
    /// - Throws: The system's refusal; the writer is of no more use then.
    public func append(_ piece: [UInt8]) throws(StoreError) {
        hash.update(piece)
        try sink.append(piece.span)
        byteCount += piece.count
    }

    /// Stores the content under its digest, if it is not stored already, and returns the digest.
    ///
    /// - Throws: `StoreError.Code.blobMismatch` when `expected` is another one; nothing is stored.
    public func finish(expected: BlobDigest? = nil) throws(StoreError) -> BlobDigest {
        guard let digest = BlobDigest(bytes: hash.finalize()) else {
            throw StoreError(.corrupt("a SHA-1 digest has 20 bytes"))
        }
        if let expected, expected != digest {
            sink.discard()
            throw StoreError(.blobMismatch(expected: expected, actual: digest))
        }
        try sink.store(as: digest)
        return digest
    }

    /// Forgets what was appended.
    public func cancel() {
        sink.discard()
    }
}

/// Where contents are kept; below `BlobStore`, which counts holds and checks digests.
///
/// The seam for other media, and for tests that let one fail. Called from any thread.
public protocol BlobShelf: Sendable {
    /// The directory of the files; `nil` when there are none.
    var directory: String? { get }
    /// The size of a content; `nil` when it is not here.
    func byteCount(_ digest: BlobDigest) -> Int?
    /// Opens a content; it stays readable when it is removed meanwhile.
    ///
    /// - Throws: `StoreError.Code.noSuchBlob`, or the medium's refusal.
    func source(_ digest: BlobDigest) throws(StoreError) -> any BlobSource
    /// Begins a content.
    func sink() throws(StoreError) -> any BlobSink
    /// Goes on with a content of which a part was kept, and reads that part; `nil` where no parts are
    /// kept, or where somebody else goes on with it.
    func partialSink(
        _ digest: BlobDigest
    ) throws(StoreError) -> (sink: any BlobSink, source: any BlobSource)?
    /// Forgets the parts of contents that are not among `used`.
    func removeParts(keeping used: Set<BlobDigest>) throws(StoreError)
    /// Makes stored contents survive a power cut.
    func settle() throws(StoreError)
    /// Contents that were stored and are gone since they could not be settled, each with the cause; each
    /// is told once.
    func takeLost() -> [BlobDigest: StoreError]
    /// Forgets a content; does nothing when it is not here.
    func remove(_ digest: BlobDigest) throws(StoreError)
    /// Every content, and the names of files that are none.
    func contents() throws(StoreError) -> (digests: [BlobDigest], unknownNames: [String])
}

/// A content being read, on one thread at a time.
public protocol BlobSource: AnyObject {
    /// The size of the whole content.
    var byteCount: Int { get }
    /// The next 1 to `limit` bytes; empty at the end.
    func read(upTo limit: Int) throws(StoreError) -> [UInt8]
    /// Goes to a place counted from the start.
    func seek(to offset: Int)
}

/// A content being written, on one thread at a time.
///
/// `discard` after `store` or another `discard` does nothing.
public protocol BlobSink: AnyObject {
    /// Adds the next piece.
    func append(_ piece: Span<UInt8>) throws(StoreError)
    /// Keeps what was added under its digest, which is right.
    func store(as digest: BlobDigest) throws(StoreError)
    /// Forgets what was added.
    func discard()
    /// Keeps what was added for `partialSink`.
    func suspend()
}

extension BlobShelf {
    /// No parts are kept.
    public func partialSink(
        _ digest: BlobDigest
    ) throws(StoreError) -> (sink: any BlobSink, source: any BlobSource)? {
        nil
    }
}

extension BlobShelf {
    /// None.
    public func takeLost() -> [BlobDigest: StoreError] { [:] }

    /// There are none.
    public func removeParts(keeping used: Set<BlobDigest>) throws(StoreError) {}
}

extension BlobSink {
    /// No parts are kept.
    public func suspend() { discard() }
}

// MARK: - Usage

extension BlobStore {
    /// How many blobs are stored, and how large they are together.
    public struct Usage: Equatable, Sendable {
        /// Blobs, each content once.
        public var count: Int
        /// Bytes of their contents.
        public var byteCount: Int
    }

    /// Counts what is stored; looks at each blob's size, so it takes time with many.
    public func usage() throws(StoreError) -> Usage {
        var usage = Usage(count: 0, byteCount: 0)
        for digest in try shelf.contents().digests {
            guard let byteCount = byteCount(digest) else { continue }
            usage.count += 1
            usage.byteCount += byteCount
        }
        return usage
    }
}
