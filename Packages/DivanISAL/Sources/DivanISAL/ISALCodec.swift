internal import CDivanISAL
public import DivanCompression
internal import DivanZlib

/// Raw DEFLATE with history across pieces, written by ISA-L: the standard wire format's codec, three to four times as
/// fast as zlib.
///
/// `DeflateCodec` reads its output and vice versa, so it is compatible with other peers. It decompresses with zlib,
/// which is as fast for documents and is better tested with malicious input. A compressor uses about 200 KB, a
/// decompressor about 60 KB, both from the first byte on.
///
/// ISA-L is loaded on first use; ``isAvailable`` reports whether it is installed.
///
/// Source: RFC 1951; `blip.md` §4.
public struct ISALCodec: CompressionCodec {
    /// The compression level, from 1 (fast) to 3 (small).
    public let level: Int

    /// Whether ISA-L is installed, and was installed when this package was built.
    public static var isAvailable: Bool { divan_isal_is_available() != 0 }

    /// Whether ISA-L's header was present when this package was built; if not, an installed library is not used.
    public static var isBuiltIn: Bool { divan_isal_is_built_in() != 0 }

    /// Creates the codec; `nil` if ISA-L is not installed.
    ///
    /// A level outside 1...3 is clamped.
    public init?(level: Int = 2) {
        guard Self.isAvailable else { return nil }
        self.level = min(max(level, 1), 3)
    }

    /// `"deflate"`: the name of the format that is sent.
    public var name: String { "deflate" }

    /// Returns the size of stored blocks, which are sent if compression does not make the piece shorter.
    public func maximumByteCount(for inputByteCount: Int) -> Int {
        guard inputByteCount > 0 else { return 0 }
        return inputByteCount + 5 * (inputByteCount / 65_535 + 1) + 1
    }

    /// Returns a compressor, which allocates memory at the first byte.
    public func makeCompressor() -> any StreamCompressor { ISALCompressor(level: level) }

    /// Returns zlib's decompressor, which allocates memory at the first byte.
    public func makeDecompressor() -> any StreamDecompressor { DeflateCodec().makeDecompressor() }
}

/// The codec's name in `CompressionError`.
let codecName = "deflate by ISA-L"
