internal import CDivanZstd
public import DivanCompression

/// Zstandard with a dictionary of up to 64 KiB that also has the statistics of typical pieces: for similar bodies at
/// rest, a third smaller than with LZ4.
///
/// A piece is one frame without the parts that its keeper knows: the magic number, its length, its dictionary and a
/// checksum. A coder uses some 250 KB, and 500 KB more once it has packed something.
///
/// The library is loaded on first use, and may be missing: ``isAvailable``. Data packed with it can be read only where
/// it is installed.
///
/// Source: RFC 8878; `zstd.h` and `zdict.h` of zstd 1.5.
public struct ZstdDictionaryCodec: DictionaryCodec {
    /// The largest plain size of one block, which takes at least four bytes.
    private static let blockByteCount = 128 << 10
    /// `ZSTD_error_memory_allocation` of `zstd_errors.h`.
    private static let missingMemoryCode = 64

    /// Whether zstd is installed, and its headers were when this package was built.
    public static var isAvailable: Bool { divan_zstd_is_available() != 0 }

    /// Whether zstd's headers were present when this package was built; if not, an installed library is not used.
    public static var isBuiltIn: Bool { divan_zstd_is_built_in() != 0 }

    /// Creates the codec, which has no settings; `nil` if zstd is missing.
    public init?() {
        guard Self.isAvailable else { return nil }
    }

    /// `"zstd"`.
    public var name: String { "zstd" }

    /// 64 KiB: more makes pieces of some kilobytes hardly shorter, and each coder holds it twice.
    public var dictionaryByteCount: Int { 64 << 10 }

    /// Joins three of every four samples as far as there is room, the last first, preceded by statistics of the bytes
    /// and lengths in the other samples.
    ///
    /// A sample that is itself in the dictionary would not give typical statistics.
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

    /// Creates a coder; bytes without the header of a zstd dictionary are used as they are.
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
