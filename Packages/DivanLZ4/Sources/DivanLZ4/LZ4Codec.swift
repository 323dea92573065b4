public import DivanCompression

/// LZ4 blocks with 64 KiB of history across pieces, for fast networks and data at rest.
///
/// A piece is a sequence of blocks, each of at most 64 KiB plain bytes: `varint(byteCount * 2 + isStored)
/// varint(plainByteCount) bytes`. So a piece contains its own length, and an incompressible block is sent
/// unchanged. Varints are LEB128. A compressor or decompressor uses about 256 KiB from its first byte on.
///
/// Source: the LZ4 block format; the frame is specific to Divan peers.
public struct LZ4Codec: CompressionCodec {
    /// Creates the codec; it has no settings.
    public init() {}

    /// `"lz4"`.
    public var name: String { "lz4" }

    /// Returns the size of stored blocks with their two lengths.
    public func maximumByteCount(for inputByteCount: Int) -> Int {
        inputByteCount + (inputByteCount + Block.byteCount - 1) / Block.byteCount * Block.headCount
    }

    /// Returns a compressor, which allocates memory at the first byte.
    public func makeCompressor() -> any StreamCompressor { LZ4Compressor() }

    /// Returns a decompressor, which allocates memory at the first byte.
    public func makeDecompressor() -> any StreamDecompressor { LZ4Decompressor() }
}

extension CompressionCodec where Self == LZ4Codec {
    /// LZ4 with history.
    public static var lz4: Self { Self() }
}
