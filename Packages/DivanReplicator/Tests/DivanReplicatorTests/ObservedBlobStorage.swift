import DivanStore

/// Blobs in memory; a test can intervene when they are read.
final class ObservedBlobStorage: BlobStorage {
    private let memory = BlobMemory()
    private let observed: @Sendable (any BlobSource) -> any BlobSource

    /// Returns, for each blob that is opened, what `observed` makes of it.
    init(_ observed: @escaping @Sendable (any BlobSource) -> any BlobSource) {
        self.observed = observed
    }

    var directory: String? { nil }
    func byteCount(_ digest: BlobDigest) -> Int? { memory.byteCount(digest) }
    func source(_ digest: BlobDigest) throws(StoreError) -> any BlobSource {
        observed(try memory.source(digest))
    }
    func sink() throws(StoreError) -> any BlobSink { try memory.sink() }
    func settle() {}
    func remove(_ digest: BlobDigest) throws(StoreError) { try memory.remove(digest) }
    func contents() throws(StoreError) -> (digests: [BlobDigest], unknownNames: [String]) {
        try memory.contents()
    }
}
