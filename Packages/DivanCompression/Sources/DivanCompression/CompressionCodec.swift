/// Compresses bytes, and restores them exactly.
///
/// Higher layers call this protocol and never a library. `CodecContract` checks an implementation, including your own.
/// A codec is a plain value and may be used from any thread; the streams that it creates belong to one connection's
/// direction and are used by one thread at a time.
public protocol CompressionCodec: Sendable {
    /// The name in settings, logs and WebSocket subprotocols: `"deflate"`, `"lz4"`, `"none"`.
    var name: String { get }

    /// Returns the most bytes that one piece of `inputByteCount` bytes can become.
    ///
    /// A sender sizes its pieces with it, so that no frame exceeds its limit.
    func maximumByteCount(for inputByteCount: Int) -> Int

    /// Starts the sending half of one direction.
    ///
    /// - Throws: `CompressionError.library` if the library has no memory.
    func makeCompressor() throws(CompressionError) -> any StreamCompressor

    /// Starts the receiving half of one direction.
    ///
    /// - Throws: `CompressionError.library` if the library has no memory.
    func makeDecompressor() throws(CompressionError) -> any StreamDecompressor

    /// The ways to write this codec's format, the densest first and the fastest last; never empty.
    ///
    /// A sender may switch between them from one piece of a stream to the next, with a new compressing half each time:
    /// the codec's decompressing half continues to read, and `maximumByteCount(for:)` holds for all of them. Most
    /// codecs have only one, themselves.
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

    /// Restores the input of `compressed(_:)`; the result may have at most `limit` bytes.
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
