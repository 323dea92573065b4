internal import Synchronization

/// Blobs in memory, for stores without a file.
public final class BlobMemory: BlobStorage {
    private let stored = Mutex<[BlobDigest: [UInt8]]>([:])

    /// Creates an empty storage.
    public init() {}

    /// Returns a storage with the same blobs.
    public func copy() -> BlobMemory {
        let copy = BlobMemory()
        let contents = stored.withLock { $0 }
        copy.stored.withLock { $0 = contents }
        return copy
    }

    /// Always `nil`.
    public var directory: String? { nil }

    /// The size of a blob; `nil` if it does not exist.
    public func byteCount(_ digest: BlobDigest) -> Int? {
        stored.withLock { $0[digest]?.count }
    }

    /// Opens a blob.
    public func source(_ digest: BlobDigest) throws(StoreError) -> any BlobSource {
        guard let content = stored.withLock({ $0[digest] }) else {
            throw StoreError(.noSuchBlob(digest))
        }
        return BlobMemorySource(content)
    }

    /// Begins a blob.
    public func sink() throws(StoreError) -> any BlobSink {
        BlobMemorySink { [self] content, digest in
            stored.withLock { $0[digest] = content }
        }
    }

    /// Does nothing.
    public func settle() {}

    /// Removes a blob.
    public func remove(_ digest: BlobDigest) throws(StoreError) {
        stored.withLock { $0[digest] = nil }
    }

    /// All blobs.
    public func contents() throws(StoreError) -> (digests: [BlobDigest], unknownNames: [String]) {
        (stored.withLock { Array($0.keys) }, [])
    }
}

/// A blob in memory that is being read.
private final class BlobMemorySource: BlobSource {
    private let content: [UInt8]
    private var offset = 0

    init(_ content: [UInt8]) {
        self.content = content
    }

    var byteCount: Int { content.count }

    func read(upTo limit: Int) throws(StoreError) -> [UInt8] {
        let piece = content.dropFirst(offset).prefix(max(limit, 0))
        offset += piece.count
        return Array(piece)
    }

    func seek(to offset: Int) {
        self.offset = max(offset, 0)
    }
}

/// A blob in memory that is being written.
private final class BlobMemorySink: BlobSink {
    private var content: [UInt8]? = []
    private let keep: ([UInt8], BlobDigest) -> Void

    init(keep: @escaping ([UInt8], BlobDigest) -> Void) {
        self.keep = keep
    }

    func append(_ piece: Span<UInt8>) throws(StoreError) {
        guard content != nil else { throw StoreError(.notOpen) }
        piece.withUnsafeBufferPointer { content?.append(contentsOf: $0) }
    }

    func store(as digest: BlobDigest) throws(StoreError) {
        guard let content else { throw StoreError(.notOpen) }
        keep(content, digest)
        discard()
    }

    func discard() {
        content = nil
    }
}
