public import DivanCompression

/// Raw DEFLATE with history from piece to piece: the codec of the standard wire.
///
/// Each piece ends with a flush whose last four bytes, `00 00 FF FF`, are left out and put back.
/// The window is 32 KiB. A compressing half holds about 400 KB, a decompressing half about 60 KB,
/// both from their first byte on.
///
/// Source: RFC 1951; `blip.md` §4.
public struct DeflateCodec: CompressionCodec {
    /// Effort from 0 (stored) through 1 (fast) to 9 (small).
    public let level: Int

    /// Creates the codec; level 6 is Couchbase Lite's, and one outside 0...9 is moved into it.
    public init(level: Int = 6) {
        self.level = min(max(level, 0), 9)
    }

    /// `"deflate"`.
    public var name: String { "deflate" }

    /// Returns the bytes of stored blocks, which zlib falls back to, and of a flush; for pieces beyond
    /// its window a seventh more.
    public func maximumByteCount(for inputByteCount: Int) -> Int {
        guard inputByteCount > 0 else { return 0 }
        // A stored block costs 5 bytes and holds 4 KiB or more with the settings used here.
        let stored = inputByteCount + 5 * (inputByteCount / 4096 + 1) + 6
        if inputByteCount <= Self.byteCountInWindow { return stored }
        // The start of a block may have left the window, and cannot be stored then: codes of 9 bits,
        // and a match of three bytes in 31, as zlib's own bound for unusual settings has it.
        return stored + (inputByteCount + 7) / 8 + (inputByteCount + 63) / 64
    }

    /// A piece that begins within zlib's window of twice 32 KiB when that moves on by half.
    private static let byteCountInWindow = 32_000

    /// Returns a compressing half; its memory is taken with the first byte.
    public func makeCompressor() -> any StreamCompressor { DeflateCompressor(level: level) }

    /// Returns a decompressing half; its memory is taken with the first byte.
    public func makeDecompressor() -> any StreamDecompressor { DeflateDecompressor() }
}

extension CompressionCodec where Self == DeflateCodec {
    /// Raw DEFLATE at Couchbase Lite's level.
    public static var deflate: Self { Self() }
}
