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
    ///
    /// A compaction takes it until a document names it: whoever saves one next takes `writeHeld(_:)`.
    public func write(_ content: [UInt8]) throws(StoreError) -> BlobDigest {
        try writeHeld(content).digest
    }

    /// Stores a whole content, and keeps it from being collected until the hold is dropped.
    public func writeHeld(_ content: [UInt8]) throws(StoreError) -> BlobHold {
        let hold = hold(BlobDigest(hashing: content.span))
        guard !contains(hold.digest) else { return hold }
        let writer = try writer()
        try writer.append(content)
        return try writer.finishHeld(expected: hold.digest)
    }

    /// Begins a content that arrives in pieces.
    public func writer() throws(StoreError) -> BlobWriter {
        BlobWriter(try shelf.sink(), for: self)
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
    /// `byteCount` says how much is here already. A store in memory and a sealed one keep no parts, and a
    /// content that somebody else is writing begins anew.
    public func writer(resuming digest: BlobDigest) throws(StoreError) -> BlobWriter {
        if let writer = try BlobWriter(resuming: digest, for: self) { return writer }
        return try writer()
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
        /// The damage of a document that may name any content, so that none was removed; `nil` where
        /// every document could be read.
        public internal(set) var obstacle: StoreError?
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

    /// The digest of what is left to read, for whoever asks whether a content is what it was.
    ///
    /// - Throws: What keeps it from being read.
    public func digest() throws(StoreError) -> BlobDigest? {
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
    private let intake: BlobIntake
    private let blobs: BlobStore
    private let keepsPart: Bool
    /// Bytes appended so far, those of earlier attempts among them.
    public private(set) var byteCount = 0

    fileprivate init(_ sink: sending any BlobSink, for blobs: BlobStore) {
        intake = BlobIntake(sink)
        self.blobs = blobs
        keepsPart = false
    }

    /// Goes on with what an earlier attempt has left, a long part of which is digested beside the caller;
    /// `nil` where no part is kept.
    fileprivate init?(resuming digest: BlobDigest, for blobs: BlobStore) throws(StoreError) {
        guard let (sink, source) = try blobs.shelf.partialSink(digest) else { return nil }
        byteCount = source.byteCount
        intake = try BlobIntake(resuming: BlobIntake.Part(sink: sink, source: source))
        self.blobs = blobs
        keepsPart = true
    }

    deinit {
        if keepsPart { intake.suspend() } else { intake.discard() }
    }

    /// Adds the next piece.
    ///
    /// - Throws: The system's refusal of this piece or of one before it; the writer is of no more use then.
    public func append(_ piece: Span<UInt8>) throws(StoreError) {
        try append(piece.withUnsafeBufferPointer { Array($0) })
    }

    /// Adds the next piece, whose memory may be kept until a thread has written and digested it.
    ///
    /// - Throws: As for a span.
    public func append(_ piece: [UInt8]) throws(StoreError) {
        try intake.append(piece)
        byteCount += piece.count
    }

    /// Stores the content under its digest, if it is not stored already, and returns the digest.
    ///
    /// - Throws: `StoreError.Code.blobMismatch` when `expected` is another one; nothing is stored. The
    ///   system's refusal of a piece.
    public func finish(expected: BlobDigest? = nil) throws(StoreError) -> BlobDigest {
        try finishHeld(expected: expected).digest
    }

    /// Stores the content, and keeps it from being collected until the hold is dropped.
    ///
    /// - Throws: As `finish(expected:)`.
    public func finishHeld(expected: BlobDigest? = nil) throws(StoreError) -> BlobHold {
        try finishHeld(expected: expected, replacing: false)
    }

    /// Stores the content, with `replacing` also where one of its name is here, which goes only once this
    /// one is complete and is what it should be.
    func finishHeld(expected: BlobDigest?, replacing: Bool) throws(StoreError) -> BlobHold {
        guard let digest = BlobDigest(bytes: try intake.finalize()) else {
            throw StoreError(.corrupt("a SHA-1 digest has 20 bytes"))
        }
        if let expected, expected != digest {
            intake.discard()
            throw StoreError(.blobMismatch(expected: expected, actual: digest))
        }
        // Before it is there, or a compaction might come in between.
        let hold = blobs.hold(digest)
        if replacing { try blobs.shelf.remove(digest) }
        try intake.store(as: digest)
        return hold
    }

    /// Forgets what was appended.
    public func cancel() {
        intake.discard()
    }
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
