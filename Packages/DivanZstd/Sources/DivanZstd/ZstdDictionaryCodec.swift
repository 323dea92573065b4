internal import CDivanZstd
public import DivanCompression

/// Zstandard with a dictionary of up to 64 KiB, for similar bodies at rest; a third smaller than LZ4.
///
/// The dictionary also contains the statistics of typical pieces. A piece is one frame without the parts that are
/// stored elsewhere: the magic number, its length, its dictionary and a checksum. A coder uses about 250 KB, and
/// 500 KB more after it has compressed a piece.
///
/// The library is loaded on first use; ``isAvailable`` reports whether it is installed. Data compressed with it can
/// be read only where it is installed.
///
/// Source: RFC 8878; `zstd.h` and `zdict.h` of zstd 1.5.
public struct ZstdDictionaryCodec: DictionaryCodec {
    /// The largest plain size of one block, which takes at least four bytes.
    private static let blockByteCount = 128 << 10
    /// `ZSTD_error_memory_allocation` of `zstd_errors.h`.
    private static let missingMemoryCode = 64

    /// Whether zstd is installed, and its headers were installed when this package was built.
    public static var isAvailable: Bool { divan_zstd_is_available() != 0 }

    /// Whether zstd's headers were present when this package was built; if not, an installed library is not used.
    public static var isBuiltIn: Bool { divan_zstd_is_built_in() != 0 }

    /// Creates the codec, which has no settings; `nil` if zstd is not installed.
    public init?() {
        guard Self.isAvailable else { return nil }
    }

    /// `"zstd"`.
    public var name: String { "zstd" }

    /// 64 KiB: a larger dictionary hardly improves pieces of a few kilobytes, and each coder stores it twice.
    public var dictionaryByteCount: Int { 64 << 10 }

    /// Joins three of every four samples up to the size limit, the last first, preceded by statistics of the bytes
    /// and lengths in the other samples.
    ///
    /// Samples in the dictionary itself would not have typical statistics.
    public func dictionary(from samples: [[UInt8]]) -> [UInt8] {
        let isLeftOut = { (index: Int) in (samples.count - index).isMultiple(of: 4) }
        let joined = Array(samples.indices.filter { !isLeftOut($0) }.flatMap { samples[$0] })
        let others = samples.indices.filter(isLeftOut).map { samples[$0] }
        let statistics = Array(others.joined())
        let counts = others.map(\.count)
        // Lent for the call, which writes at most `dictionaryByteCount` bytes.
        let made = [UInt8](unsafeUninitializedCapacity: dictionaryByteCount) { room, madeCount in
            madeCount = joined.withUnsafeBufferPointer { joined in
                statistics.withUnsafeBufferPointer { statistics in
                    counts.withUnsafeBufferPointer { counts in
                        divan_zstd_dictionary(
                            joined.baseAddress,
                            joined.count,
                            statistics.baseAddress,
                            counts.baseAddress,
                            UInt32(clamping: counts.count),
                            room.baseAddress,
                            room.count
                        )
                    }
                }
            }
        }
        // From too few samples the library makes none; the plain bytes serve, too.
        return made.isEmpty ? Array(samples.joined().suffix(dictionaryByteCount)) : made
    }

    /// 128 KiB for each four bytes: a block of one repeated byte.
    public func maximumPlainByteCount(for packedByteCount: Int) -> Int {
        let (most, overflows) = (packedByteCount / 4 + 1)
            .multipliedReportingOverflow(by: Self.blockByteCount)
        return overflows ? .max : most
    }

    /// Creates a coder; bytes without the header of a zstd dictionary are used unchanged.
    public func makeCoder(
        dictionary: [UInt8]
    ) throws(CompressionError) -> any DictionaryCoder {
        // The bytes are copied during the call, which also sets `isCorrupt`.
        var isCorrupt: Int32 = 0
        let made = dictionary.withUnsafeBufferPointer {
            divan_zstd_coder_make($0.baseAddress, $0.count, &isCorrupt)
        }
        guard let made else {
            guard isCorrupt == 0 else {
                throw .corrupt(codec: name, detail: "invalid dictionary")
            }
            throw .library(codec: name, code: Self.missingMemoryCode)
        }
        return LibraryDictionaryCoder(
            made,
            of: name,
            LibraryDictionaryCoder.Functions(
                free: divan_zstd_coder_free,
                bound: divan_zstd_coder_bound,
                pack: divan_zstd_coder_pack,
                unpack: divan_zstd_coder_unpack
            )
        )
    }
}
