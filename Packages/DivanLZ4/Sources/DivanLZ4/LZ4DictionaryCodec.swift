internal import CDivanLZ4
public import DivanCompression

/// LZ4 blocks with a dictionary of up to 64 KiB, for similar bodies at rest.
///
/// A piece is one block, without a frame; its length is stored elsewhere. A coder uses 64 KiB, and 32 KiB more
/// after it has compressed a piece.
///
/// Source: the LZ4 block format.
public struct LZ4DictionaryCodec: DictionaryCodec {
    /// Creates the codec; it has no settings.
    public init() {}

    /// `"lz4"`.
    public var name: String { "lz4" }

    /// 64 KiB, the maximum distance of a reference in a block.
    public var dictionaryByteCount: Int { Block.byteCount }

    /// 255 for each byte: the maximum that one byte adds to the length of a match.
    public func maximumPlainByteCount(for packedByteCount: Int) -> Int {
        let (most, overflows) = packedByteCount.multipliedReportingOverflow(by: 255)
        return overflows ? .max : most
    }

    /// Creates a coder; any bytes are a valid dictionary.
    public func makeCoder(
        dictionary: [UInt8]
    ) throws(CompressionError) -> any DictionaryCoder {
        // The bytes are copied during the call.
        let made = dictionary.withUnsafeBufferPointer {
            divan_lz4_coder_make($0.baseAddress, $0.count)
        }
        guard let made else { throw .library(codec: Block.codecName, code: -4) }
        return LibraryDictionaryCoder(
            made,
            of: name,
            LibraryDictionaryCoder.Functions(
                free: divan_lz4_coder_free,
                bound: divan_lz4_coder_bound,
                pack: divan_lz4_coder_pack,
                unpack: divan_lz4_coder_unpack
            )
        )
    }
}

extension DictionaryCodec where Self == LZ4DictionaryCodec {
    /// LZ4 with a dictionary.
    public static var lz4: Self { Self() }
}
