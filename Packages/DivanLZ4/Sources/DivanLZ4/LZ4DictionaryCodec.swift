internal import CDivanLZ4
public import DivanCompression

/// LZ4 blocks that refer to a dictionary of up to 64 KiB: for bodies at rest that are alike.
///
/// A piece is one block, without a frame; whoever keeps it knows its length. A coder holds 64 KiB, and
/// 32 KiB more once it has packed something.
///
/// Source: the LZ4 block format.
public struct LZ4DictionaryCodec: DictionaryCodec {
    /// Creates the codec; it has no settings.
    public init() {}

    /// `"lz4"`.
    public var name: String { "lz4" }

    /// 64 KiB, as far as a block refers back.
    public var dictionaryByteCount: Int { Block.byteCount }

    /// 255 for each: what one more byte adds to the length of a match.
    public func maximumPlainByteCount(for packedByteCount: Int) -> Int {
        let (most, overflows) = packedByteCount.multipliedReportingOverflow(by: 255)
        return overflows ? .max : most
    }

    /// Makes what packs and unpacks; every byte string is a dictionary.
    public func makeCoder(
        dictionary: [UInt8]
    ) throws(CompressionError) -> any DictionaryCoder {
        try LZ4DictionaryCoder(dictionary)
    }
}

extension DictionaryCodec where Self == LZ4DictionaryCodec {
    /// LZ4 with a dictionary.
    public static var lz4: Self { Self() }
}

/// A coder of the C library's, which this one owns.
private final class LZ4DictionaryCoder: DictionaryCoder {
    // Freed in `deinit`; used by one thread at a time.
    private let coder: OpaquePointer

    init(_ dictionary: [UInt8]) throws(CompressionError) {
        // The bytes are copied during the call.
        let made = dictionary.withUnsafeBufferPointer {
            divan_lz4_coder_make($0.baseAddress, $0.count)
        }
        guard let made else { throw .library(codec: Block.codecName, code: -4) }
        coder = made
    }

    deinit {
        divan_lz4_coder_free(coder)
    }

    func pack(
        _ plain: Span<UInt8>,
        appendingTo output: inout [UInt8]
    ) throws(CompressionError) {
        let bound = divan_lz4_coder_bound(plain.count)
        // The library writes at most `bound` bytes.
        let count = output.appendPacked(plain, Span(), atMost: bound) { plain, _, room in
            divan_lz4_coder_pack(coder, plain.baseAddress, plain.count, room)
        }
        guard count > 0 else { throw .library(codec: Block.codecName, code: -1) }
    }

    func unpack(
        _ packed: Span<UInt8>,
        into output: inout MutableSpan<UInt8>
    ) throws(CompressionError) {
        // Both are lent for the call, which writes as many bytes as the second has.
        let isSound = packed.withUnsafeBufferPointer { packed in
            output.withUnsafeMutableBufferPointer { output in
                divan_lz4_coder_unpack(
                    coder,
                    packed.baseAddress,
                    packed.count,
                    output.baseAddress,
                    output.count
                )
            }
        }
        guard isSound == 1 else {
            throw .corrupt(codec: Block.codecName, detail: "a piece cannot be unpacked")
        }
    }
}
