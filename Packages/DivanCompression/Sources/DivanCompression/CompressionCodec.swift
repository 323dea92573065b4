/// A way to make bytes shorter and to get them back exactly.
///
/// The layers above call this seam and never a library. `CodecContract` checks an implementation,
/// yours too. A codec is a plain value and may be used from any thread; the streams it makes
/// belong to one connection's direction and are used by one thread at a time.
public protocol CompressionCodec: Sendable {
    /// The name in settings, logs and WebSocket subprotocols: `"deflate"`, `"lz4"`, `"none"`.
    var name: String { get }

    /// Returns the most bytes that one piece of `inputByteCount` bytes can become.
    ///
    /// A sender cuts its pieces with it, so that no frame outgrows its bound.
    func maximumByteCount(for inputByteCount: Int) -> Int

    /// Starts the sending half of one direction.
    ///
    /// - Throws: `CompressionError.library` when the library has no memory.
    func makeCompressor() throws(CompressionError) -> any StreamCompressor

    /// Starts the receiving half of one direction.
    ///
    /// - Throws: `CompressionError.library` when the library has no memory.
    func makeDecompressor() throws(CompressionError) -> any StreamDecompressor

    /// The ways to make this codec's format, the densest first and the fastest last; never none.
    ///
    /// A sender may change from one to another between two pieces of a stream, with a new
    /// compressing half each time: the codec's own decompressing half reads on, and
    /// `maximumByteCount(for:)` holds for all of them. Most codecs have one, themselves.
    var grades: [any CompressionCodec] { get }
}

extension CompressionCodec {
    /// The codec alone.
    public var grades: [any CompressionCodec] { [self] }

    /// Compresses bytes that stand alone, such as data at rest.
    ///
    /// - Throws: `CompressionError.library`.
    public func compressed(_ input: Span<UInt8>) throws(CompressionError) -> [UInt8] {
        var output: [UInt8] = []
        try makeCompressor().compress(input, appendingTo: &output)
        return output
    }

    /// Gives back what `compressed(_:)` took; at most `limit` bytes may come out.
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
