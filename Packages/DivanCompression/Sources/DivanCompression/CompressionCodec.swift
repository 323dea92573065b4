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
}

/// The sending half of one direction: pieces share history, and each can be read at once.
///
/// Allocates its library state at the first piece that is not empty. Not for two threads at once.
public protocol StreamCompressor: AnyObject {
    /// Appends the compressed form of `input`; of no bytes, nothing.
    ///
    /// - Throws: `CompressionError.library`. The history is then lost: call `reset()`, or end the
    ///   connection.
    func compress(
        _ input: Span<UInt8>,
        appendingTo output: inout [UInt8]
    ) throws(CompressionError)

    /// Forgets all history; the peer's half must do so at the same place.
    func reset()
}

/// The receiving half of one direction: takes the peer's pieces whole and in order.
///
/// Allocates its library state at the first piece that is not empty. Not for two threads at once.
public protocol StreamDecompressor: AnyObject {
    /// Appends the plain form of one whole piece; of no bytes, nothing.
    ///
    /// - Parameters:
    ///   - input: One piece exactly as the peer's `compress` made it.
    ///   - limit: Most bytes that this piece may become; counted as they come out.
    ///   - output: Grows by `limit` bytes at most, also when an error is thrown.
    /// - Throws: `CompressionError.corrupt` or `.outputTooLarge`. The history is then lost: call
    ///   `reset()`, or end the connection.
    func decompress(
        _ input: Span<UInt8>,
        limit: Int,
        appendingTo output: inout [UInt8]
    ) throws(CompressionError)

    /// Forgets all history; the peer's half must do so at the same place.
    func reset()
}

extension CompressionCodec {
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
