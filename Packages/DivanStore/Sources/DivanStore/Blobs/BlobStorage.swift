/// Stores the contents of blobs for a `BlobStore`, which counts holds and checks digests.
///
/// Implement it for other storage media, or for tests that simulate failures. Called from any thread.
public protocol BlobStorage: Sendable {
    /// The directory of the files; `nil` if there are none.
    var directory: String? { get }
    /// The size of a blob; `nil` if it does not exist.
    func byteCount(_ digest: BlobDigest) -> Int?
    /// Opens a blob.
    ///
    /// It stays readable even if it is removed in the meantime.
    ///
    /// - Throws: `StoreError.Code.noSuchBlob`, or the medium's error.
    func source(_ digest: BlobDigest) throws(StoreError) -> any BlobSource
    /// Begins to write a blob.
    func sink() throws(StoreError) -> any BlobSink
    /// Continues a partially written blob, and reads the existing part; `nil` if parts are not kept, or if the blob
    /// is being written elsewhere.
    func partialSink(
        _ digest: BlobDigest
    ) throws(StoreError) -> (sink: any BlobSink, source: any BlobSource)?
    /// Discards partially written blobs that are not in `used`.
    func removeParts(keeping used: Set<BlobDigest>) throws(StoreError)
    /// Makes stored blobs survive a power failure.
    func settle() throws(StoreError)
    /// Does the same for blobs among `held` that an earlier process did not sync.
    ///
    /// Other blobs may wait.
    func rewriteUnsynced(_ held: (BlobDigest) -> Bool) throws(StoreError)
    /// Blobs that were stored but lost because they could not be synced, each with the cause.
    ///
    /// Each is reported once.
    func takeLost() -> [BlobDigest: StoreError]
    /// Removes a blob; does nothing if it does not exist.
    func remove(_ digest: BlobDigest) throws(StoreError)
    /// All blobs, and the names of files that are not blobs.
    func contents() throws(StoreError) -> (digests: [BlobDigest], unknownNames: [String])
}

/// A blob being read, on one thread at a time.
public protocol BlobSource: AnyObject {
    /// The size of the whole blob.
    var byteCount: Int { get }
    /// The next 1 to `limit` bytes; empty at the end.
    func read(upTo limit: Int) throws(StoreError) -> [UInt8]
    /// Moves to a position counted from the start.
    func seek(to offset: Int)
}

/// A blob being written, on one thread at a time.
///
/// `discard` after `store` or another `discard` does nothing.
public protocol BlobSink: AnyObject {
    /// Adds the next piece.
    func append(_ piece: Span<UInt8>) throws(StoreError)
    /// Stores the appended bytes under their digest, which the caller has verified.
    func store(as digest: BlobDigest) throws(StoreError)
    /// Discards the appended bytes.
    func discard()
    /// Keeps the appended bytes for `partialSink`.
    func suspend()
}

extension BlobStorage {
    /// No parts are kept.
    public func partialSink(
        _ digest: BlobDigest
    ) throws(StoreError) -> (sink: any BlobSink, source: any BlobSource)? {
        nil
    }

    /// None.
    public func takeLost() -> [BlobDigest: StoreError] { [:] }

    /// There are none.
    public func rewriteUnsynced(_ held: (BlobDigest) -> Bool) throws(StoreError) {}

    /// There are none.
    public func removeParts(keeping used: Set<BlobDigest>) throws(StoreError) {}
}

extension BlobSink {
    /// No parts are kept.
    public func suspend() { discard() }
}
