/// Compresses many short, similar pieces separately, with a dictionary of their common content.
///
/// For data at rest that is read piece by piece; `CompressionCodec` is for streams. `DictionaryCodecContract`
/// checks an implementation. A codec is a plain value and can be used from any thread; a coder is used by one
/// thread at a time.
public protocol DictionaryCodec: Sendable {
    /// The name in settings and logs, such as `"lz4"`.
    var name: String { get }

    /// The largest useful size of a dictionary in bytes; at least 1.
    var dictionaryByteCount: Int { get }

    /// Creates a dictionary from typical pieces, the most typical last; the default implementation joins them and
    /// keeps the end.
    ///
    /// - Returns: At most `dictionaryByteCount` bytes.
    func dictionary(from samples: [[UInt8]]) -> [UInt8]

    /// Returns the maximum original size of `packedByteCount` compressed bytes.
    ///
    /// A reader rejects a piece with a larger stated size before it allocates memory for it.
    func maximumPlainByteCount(for packedByteCount: Int) -> Int

    /// Creates a coder that compresses and decompresses with a dictionary, which can be any bytes.
    ///
    /// - Throws: `CompressionError.library` if there is not enough memory, and `corrupt` for bytes that are not a
    ///   dictionary of this codec.
    func makeCoder(dictionary: [UInt8]) throws(CompressionError) -> any DictionaryCoder
}

extension DictionaryCodec {
    /// Joins the samples and keeps the end.
    public func dictionary(from samples: [[UInt8]]) -> [UInt8] {
        Array(samples.joined().suffix(dictionaryByteCount))
    }
}

/// Compresses and decompresses pieces with one dictionary; used by one thread at a time.
public protocol DictionaryCoder: AnyObject {
    /// Appends the compressed form of a piece of 1 byte or more.
    ///
    /// - Throws: `CompressionError.library`.
    func pack(
        _ plain: Span<UInt8>,
        appendingTo output: inout [UInt8]
    ) throws(CompressionError)

    /// Fills `output` with the original piece, which must have exactly as many bytes.
    ///
    /// - Throws: `CompressionError.corrupt` for bytes that are not such a piece, and `library` if there is not
    ///   enough memory; `output` is then undefined.
    func unpack(
        _ packed: Span<UInt8>,
        into output: consuming MutableSpan<UInt8>
    ) throws(CompressionError)
}
