/// Where blobs are kept; below `BlobStore`, which counts holds and checks digests.
///
/// The interface for other media, and for tests that make one fail. Called from any thread.
public protocol BlobShelf: Sendable {
    /// The directory of the files; `nil` if there are none.
    var directory: String? { get }
    /// The size of a blob; `nil` if it is not here.
    func byteCount(_ digest: BlobDigest) -> Int?
    /// Opens a blob; it stays readable if it is removed in the meantime.
    ///
    /// - Throws: `StoreError.Code.noSuchBlob`, or the medium's error.
    func source(_ digest: BlobDigest) throws(StoreError) -> any BlobSource
    /// Begins a blob.
    func sink() throws(StoreError) -> any BlobSink
    /// Continues a blob of which a part was kept, and reads that part; `nil` if no parts are kept, or
    /// if somebody else is continuing it.
    func partialSink(
        _ digest: BlobDigest
    ) throws(StoreError) -> (sink: any BlobSink, source: any BlobSource)?
    /// Discards the parts of blobs that are not in `used`.
    func removeParts(keeping used: Set<BlobDigest>) throws(StoreError)
    /// Makes stored blobs survive a power cut.
    func settle() throws(StoreError)
    /// Does the same for those among `held` that an earlier process left without doing it; others may wait.
    func settleLeftovers(_ held: (BlobDigest) -> Bool) throws(StoreError)
    /// Blobs that were stored and are gone since they could not be settled, each with the cause; each is
    /// reported once.
    func takeLost() -> [BlobDigest: StoreError]
    /// Removes a blob; does nothing if it is not here.
    func remove(_ digest: BlobDigest) throws(StoreError)
    /// Every blob, and the names of files that are not blobs.
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
    /// Stores what was added under its digest, which the caller has verified.
    func store(as digest: BlobDigest) throws(StoreError)
    /// Discards what was added.
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

    /// None.
    public func takeLost() -> [BlobDigest: StoreError] { [:] }

    /// There are none.
    public func settleLeftovers(_ held: (BlobDigest) -> Bool) throws(StoreError) {}

    /// There are none.
    public func removeParts(keeping used: Set<BlobDigest>) throws(StoreError) {}
}

extension BlobSink {
    /// No parts are kept.
    public func suspend() { discard() }
}
