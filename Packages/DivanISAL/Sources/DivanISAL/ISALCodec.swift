internal import CDivanISAL
public import DivanCompression
internal import DivanZlib

/// Raw DEFLATE with history from piece to piece, written by ISA-L: the standard wire's codec, three
/// to four times as fast as zlib.
///
/// What it writes is what `DeflateCodec` reads and the reverse, so no other peer notices. It reads
/// with zlib, which is as fast on documents and has met more hostile bytes. A compressing half holds
/// about 200 KB, a decompressing half about 60 KB, both from their first byte on.
///
/// ISA-L is looked for when it is first asked for, and need not be there: ``isAvailable``.
///
/// Source: RFC 1951; `blip.md` §4.
public struct ISALCodec: CompressionCodec {
    /// Effort from 1 (fast) to 3 (small).
    public let level: Int

    /// Whether ISA-L is on this machine, and was when this package was built.
    public static var isAvailable: Bool { divan_isal_is_available() != 0 }

    /// Whether ISA-L's header was there when this package was built; else the library of this machine
    /// does not help.
    public static var isBuiltIn: Bool { divan_isal_is_built_in() != 0 }

    /// Creates the codec; `nil` where ISA-L is missing.
    ///
    /// A level outside 1...3 is moved into it.
    public init?(level: Int = 2) {
        guard Self.isAvailable else { return nil }
        self.level = min(max(level, 1), 3)
    }

    /// `"deflate"`: the name of what travels.
    public var name: String { "deflate" }

    /// Returns the bytes of stored blocks, which travel where nothing shorter is found.
    public func maximumByteCount(for inputByteCount: Int) -> Int {
        guard inputByteCount > 0 else { return 0 }
        return inputByteCount + 5 * (inputByteCount / 65_535 + 1) + 1
    }

    /// Returns a compressing half; its memory is taken with the first byte.
    public func makeCompressor() -> any StreamCompressor { ISALCompressor(level: level) }

    /// Returns zlib's decompressing half; its memory is taken with the first byte.
    public func makeDecompressor() -> any StreamDecompressor { DeflateCodec().makeDecompressor() }
}

/// The word for `CompressionError`.
let codecName = "deflate by ISA-L"
