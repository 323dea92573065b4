/// The positions of the chunks of an encrypted blob in its file.
///
/// The file consists of a header of 24 bytes, chunks of 64 KiB with a tag of 16 bytes each, of which the last can
/// be shorter, and a tag for digest and length. So a position in the blob determines the position in the file.
public struct BlobLayout: Equatable, Sendable {
    /// Bytes before the first chunk.
    public static let headByteCount = 24
    /// Bytes after the last chunk.
    public static let endByteCount = 16
    static let tagByteCount = 16

    /// The size of the blob in bytes.
    public let byteCount: Int

    /// Creates the layout for the size of a blob.
    public init(byteCount: Int) {
        self.byteCount = byteCount
    }

    /// Creates the layout for the size of a file; `nil` if no blob results in a file of this size.
    public init?(fileByteCount: Int) {
        let chunks = fileByteCount - Self.headByteCount - Self.endByteCount
        let whole = SealLimits.chunkByteCount + Self.tagByteCount
        let rest = chunks % whole
        guard chunks >= 0, rest == 0 || rest > Self.tagByteCount else { return nil }
        byteCount =
            chunks / whole * SealLimits.chunkByteCount + (rest == 0 ? 0 : rest - Self.tagByteCount)
    }

    /// The number of chunks.
    public var chunkCount: Int {
        (byteCount + SealLimits.chunkByteCount - 1) / SealLimits.chunkByteCount
    }

    /// The size of the file in bytes.
    public var fileByteCount: Int {
        Self.headByteCount + byteCount + chunkCount * Self.tagByteCount + Self.endByteCount
    }

    /// The position of a chunk in the file, including its tag; `nil` if the chunk does not exist.
    public func place(ofChunk index: Int) -> Range<Int>? {
        guard (0..<chunkCount).contains(index) else { return nil }
        let start = Self.headByteCount + index * (SealLimits.chunkByteCount + Self.tagByteCount)
        let size = min(SealLimits.chunkByteCount, byteCount - index * SealLimits.chunkByteCount)
        return start..<start + size + Self.tagByteCount
    }

    /// The position of the tag for digest and length.
    public var placeOfEnd: Range<Int> { fileByteCount - Self.endByteCount..<fileByteCount }
}
