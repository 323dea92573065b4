public import DivanCompression

/// Raw DEFLATE with history across pieces: the codec of the standard wire format.
///
/// Each piece ends with a flush whose last four bytes, `00 00 FF FF`, are removed and restored. The window is 32
/// KiB. A compressor uses about 400 KB, a decompressor about 60 KB, both from the first byte on.
///
/// Source: RFC 1951; `blip.md` §4.
public struct DeflateCodec: CompressionCodec {
    /// The compression level: 0 (stored), or 1 (fast) to 9 (small).
    public let level: Int

    /// Creates the codec; the default level, 6, is that of Couchbase Lite; values outside 0...9 are clamped.
    public init(level: Int = 6) {
        self.level = min(max(level, 0), 9)
    }

    /// `"deflate"`.
    public var name: String { "deflate" }

    /// Returns the size of stored blocks, which zlib uses if compression does not help, and of a flush; one seventh
    /// more for pieces larger than the window.
    public func maximumByteCount(for inputByteCount: Int) -> Int {
        guard inputByteCount > 0 else { return 0 }
        // A stored block costs 5 bytes and holds at least 4 KiB with the settings used here.
        let stored = inputByteCount + 5 * (inputByteCount / 4096 + 1) + 6
        if inputByteCount <= Self.byteCountInWindow { return stored }
        // The start of a block may have left the window, and cannot be stored then: 9-bit codes, and a three-byte match
        // in 31, as in zlib's own bound for unusual settings.
        return stored + (inputByteCount + 7) / 8 + (inputByteCount + 63) / 64
    }

    /// A piece that still begins within zlib's window of twice 32 KiB after it moves by half.
    private static let byteCountInWindow = 32_000

    /// Returns a compressor, which allocates memory at the first byte.
    public func makeCompressor() -> any StreamCompressor { DeflateCompressor(level: level) }

    /// Returns a decompressor, which allocates memory at the first byte.
    public func makeDecompressor() -> any StreamDecompressor { DeflateDecompressor() }
}

extension CompressionCodec where Self == DeflateCodec {
    /// Raw DEFLATE at the level of Couchbase Lite.
    public static var deflate: Self { Self() }
}
