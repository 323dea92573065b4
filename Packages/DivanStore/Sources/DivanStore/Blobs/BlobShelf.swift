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

    /// None.
    public func takeLost() -> [BlobDigest: StoreError] { [:] }

    /// There are none.
    public func removeParts(keeping used: Set<BlobDigest>) throws(StoreError) {}
}

extension BlobSink {
    /// No parts are kept.
    public func suspend() { discard() }
}
