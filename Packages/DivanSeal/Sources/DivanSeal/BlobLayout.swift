/// The positions of the chunks of a sealed blob in its file.
///
/// A head of 24 bytes, chunks of 64 KiB with a tag of 16 bytes each, of which the last may be shorter,
/// and a tag over digest and length. So a position in the blob determines the position in the file.
public struct BlobLayout: Equatable, Sendable {
    /// Bytes before the first chunk.
    public static let headByteCount = 24
    /// Bytes after the last one.
    public static let endByteCount = 16
    static let tagByteCount = 16

    /// Bytes of the blob.
    public let byteCount: Int

    /// The layout of a blob of this many bytes.
    public init(byteCount: Int) {
        self.byteCount = byteCount
    }

    /// The layout of a file of this many bytes; `nil` if no blob makes such a file.
    public init?(fileByteCount: Int) {
        let chunks = fileByteCount - Self.headByteCount - Self.endByteCount
        let whole = SealLimits.chunkByteCount + Self.tagByteCount
        let rest = chunks % whole
        guard chunks >= 0, rest == 0 || rest > Self.tagByteCount else { return nil }
        byteCount =
            chunks / whole * SealLimits.chunkByteCount + (rest == 0 ? 0 : rest - Self.tagByteCount)
    }

    /// How many chunks there are.
    public var chunkCount: Int {
        (byteCount + SealLimits.chunkByteCount - 1) / SealLimits.chunkByteCount
    }

    /// Bytes of the file.
    public var fileByteCount: Int {
        Self.headByteCount + byteCount + chunkCount * Self.tagByteCount + Self.endByteCount
    }

    /// Where a chunk is in the file, including its tag; `nil` if there is no such chunk.
    public func place(ofChunk index: Int) -> Range<Int>? {
        guard (0..<chunkCount).contains(index) else { return nil }
        let start = Self.headByteCount + index * (SealLimits.chunkByteCount + Self.tagByteCount)
        let size = min(SealLimits.chunkByteCount, byteCount - index * SealLimits.chunkByteCount)
        return start..<start + size + Self.tagByteCount
    }

    /// Where the tag over digest and length is.
    public var placeOfEnd: Range<Int> { fileByteCount - Self.endByteCount..<fileByteCount }
}
