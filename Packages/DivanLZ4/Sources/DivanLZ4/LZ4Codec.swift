public import DivanCompression

/// LZ4 blocks with 64 KiB of history from piece to piece: for fast links and data at rest.
///
/// A piece is a sequence of blocks, each of at most 64 KiB plain bytes:
/// `varint(byteCount * 2 + isStored) varint(plainByteCount) bytes`. So a piece tells its own
/// length, and a block that does not get shorter travels as it is. Varints are LEB128. Each half
/// holds about 256 KiB from its first byte on.
///
/// Source: the LZ4 block format; the frame around it is ours, spoken between Divan peers only.
public struct LZ4Codec: CompressionCodec {
    /// Creates the codec; it has no settings.
    public init() {}

    /// `"lz4"`.
    public var name: String { "lz4" }

    /// Returns the bytes of stored blocks with their two lengths.
    public func maximumByteCount(for inputByteCount: Int) -> Int {
        inputByteCount + (inputByteCount + Block.byteCount - 1) / Block.byteCount * Block.headCount
    }

    /// Returns a compressing half; its memory is taken with the first byte.
    public func makeCompressor() -> any StreamCompressor { LZ4Compressor() }

    /// Returns a decompressing half; its memory is taken with the first byte.
    public func makeDecompressor() -> any StreamDecompressor { LZ4Decompressor() }
}

extension CompressionCodec where Self == LZ4Codec {
    /// LZ4 with history.
    public static var lz4: Self { Self() }
}
