/// Packs many short, similar pieces, each separately: what they have in common is stored once, in a dictionary.
///
/// For data at rest that is read piece by piece, whereas `CompressionCodec` is for streams. `DictionaryCodecContract`
/// checks an implementation, including your own. A codec is a plain value and may be used from any thread; a coder is
/// used by one thread at a time.
public protocol DictionaryCodec: Sendable {
    /// The name in settings and logs, such as `"lz4"`.
    var name: String { get }

    /// The largest useful size of a dictionary in bytes; at least 1.
    var dictionaryByteCount: Int { get }

    /// Makes a dictionary from typical pieces, the most typical last; the default joins them and keeps the end.
    ///
    /// - Returns: At most `dictionaryByteCount` bytes.
    func dictionary(from samples: [[UInt8]]) -> [UInt8]

    /// Returns the most bytes that `packedByteCount` packed ones can come from.
    ///
    /// A reader refuses a piece that claims more before it allocates memory for it.
    func maximumPlainByteCount(for packedByteCount: Int) -> Int

    /// Creates a coder that packs and unpacks with a dictionary, which may be any bytes.
    ///
    /// - Throws: `CompressionError.library` if memory is short, and `corrupt` for bytes that are not a dictionary of
    ///   this codec.
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

    /// Fills `output` with the original piece, which must have exactly as many bytes.
    ///
    /// - Throws: `CompressionError.corrupt` for bytes that are not such a piece, and `library` if memory is short;
    ///   `output` is undefined then.
    func unpack(
        _ packed: Span<UInt8>,
        into output: inout MutableSpan<UInt8>
    ) throws(CompressionError)
}
