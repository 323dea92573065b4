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
