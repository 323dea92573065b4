/// A way to pack many short pieces that are alike, each by itself: what they share stands once, in a
/// dictionary.
///
/// The seam for data at rest that is read piece by piece, where `CompressionCodec` is the one for
/// streams. `DictionaryCodecContract` checks an implementation, yours too. A codec is a plain value and
/// may be used from any thread; a coder is used by one thread at a time.
public protocol DictionaryCodec: Sendable {
    /// The name in settings and logs, such as `"lz4"`.
    var name: String { get }

    /// Bytes of a dictionary beyond which more are of no use; at least 1.
    var dictionaryByteCount: Int { get }

    /// Makes a dictionary out of pieces that are typical, the most typical last; the default joins them
    /// and keeps the end.
    ///
    /// - Returns: At most `dictionaryByteCount` bytes.
    func dictionary(from samples: [[UInt8]]) -> [UInt8]

    /// Returns the most bytes that `packedByteCount` packed ones can come from.
    ///
    /// A reader refuses a piece that claims more, before it takes memory for it.
    func maximumPlainByteCount(for packedByteCount: Int) -> Int

    /// Makes what packs and unpacks with a dictionary, which may be any bytes.
    ///
    /// - Throws: `CompressionError.library` when memory is missing, and `corrupt` for bytes that are no
    ///   dictionary of this codec.
    func makeCoder(dictionary: [UInt8]) throws(CompressionError) -> any DictionaryCoder
}

extension DictionaryCodec {
    /// Joins the samples and keeps the end.
    public func dictionary(from samples: [[UInt8]]) -> [UInt8] {
        Array(samples.joined().suffix(dictionaryByteCount))
    }
}

/// Packs and unpacks pieces with one dictionary; used by one thread at a time.
public protocol DictionaryCoder: AnyObject {
    /// Appends a piece of 1 byte or more in packed form.
    ///
    /// - Throws: `CompressionError.library`.
    func pack(
        _ plain: Span<UInt8>,
        appendingTo output: inout [UInt8]
    ) throws(CompressionError)

    /// Fills `output` with the piece that was packed, which has exactly as many bytes.
    ///
    /// - Throws: `CompressionError.corrupt` for bytes that are not such a piece, and `library` when memory is
    ///   missing; `output` holds any bytes then.
    func unpack(
        _ packed: Span<UInt8>,
        into output: inout MutableSpan<UInt8>
    ) throws(CompressionError)
}
