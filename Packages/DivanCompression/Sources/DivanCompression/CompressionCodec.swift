/// Compresses bytes, and restores them exactly.
///
/// Higher layers call this protocol and never a library. `CodecContract` checks an implementation. A codec is a
/// plain value and can be used from any thread; each stream that it creates belongs to one direction of a
/// connection and is used by one thread at a time.
public protocol CompressionCodec: Sendable {
    /// The name in settings, logs and WebSocket subprotocols: `"deflate"`, `"lz4"`, `"none"`.
    var name: String { get }

    /// Returns the maximum compressed size of a piece of `inputByteCount` bytes.
    ///
    /// A sender chooses the size of its pieces with it, so that no frame exceeds its limit.
    func maximumByteCount(for inputByteCount: Int) -> Int

    /// Creates the compressor for one direction.
    ///
    /// - Throws: `CompressionError.library` if there is not enough memory.
    func makeCompressor() throws(CompressionError) -> any StreamCompressor

    /// Creates the decompressor for one direction.
    ///
    /// - Throws: `CompressionError.library` if there is not enough memory.
    func makeDecompressor() throws(CompressionError) -> any StreamDecompressor

    /// The compression levels of this codec's format, the densest first and the fastest last; never empty.
    ///
    /// A sender can switch between them from one piece of a stream to the next, with a new compressor each time:
    /// the codec's decompressor reads them all, and `maximumByteCount(for:)` is valid for all of them. Most codecs
    /// have only one level, themselves.
    var grades: [any CompressionCodec] { get }
}

extension CompressionCodec {
    /// Only the codec itself.
    public var grades: [any CompressionCodec] { [self] }

    /// Compresses self-contained bytes, such as data at rest.
    ///
    /// - Throws: `CompressionError.library`.
    public func compressed(_ input: Span<UInt8>) throws(CompressionError) -> [UInt8] {
        var output: [UInt8] = []
        try makeCompressor().compress(input, appendingTo: &output)
        return output
    }

    /// Restores the input of `compressed(_:)`; the result can have at most `limit` bytes.
    ///
    /// - Throws: `CompressionError.corrupt` or `.outputTooLarge`.
    public func decompressed(
        _ input: Span<UInt8>,
        limit: Int
    ) throws(CompressionError) -> [UInt8] {
        var output: [UInt8] = []
        try makeDecompressor().decompress(input, limit: limit, appendingTo: &output)
        return output
    }
}
