/// The decompressor of one direction, which receives the peer's pieces whole and in order.
///
/// Allocates the library's state at the first non-empty piece. Use it on one thread at a time.
public protocol StreamDecompressor: AnyObject {
    /// Appends the decompressed form of one whole piece; nothing for empty input.
    ///
    /// - Parameters:
    ///   - input: One piece exactly as the peer's `compress` produced it.
    ///   - limit: The maximum decompressed size; checked while decompressing.
    ///   - output: Grows by at most `limit` bytes, even if an error is thrown.
    /// - Throws: `CompressionError.corrupt` or `.outputTooLarge`. The history is then lost: call `reset()`, or
    ///   close the connection.
    func decompress(
        _ input: Span<UInt8>,
        limit: Int,
        appendingTo output: inout [UInt8]
    ) throws(CompressionError)

    /// Discards all history; the peer must reset its compressor at the same point.
    func reset()
}
