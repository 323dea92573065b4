/// The receiving half of one direction: takes the peer's pieces whole and in order.
///
/// Allocates its library state at the first non-empty piece. Must not be used by two threads at once.
public protocol StreamDecompressor: AnyObject {
    /// Appends the plain form of one whole piece; nothing for empty input.
    ///
    /// - Parameters:
    ///   - input: One piece exactly as the peer's `compress` made it.
    ///   - limit: The most bytes that this piece may become; checked while decompressing.
    ///   - output: Grows by at most `limit` bytes, even if an error is thrown.
    /// - Throws: `CompressionError.corrupt` or `.outputTooLarge`. The history is then lost: call `reset()`, or end the
    ///   connection.
    func decompress(
        _ input: Span<UInt8>,
        limit: Int,
        appendingTo output: inout [UInt8]
    ) throws(CompressionError)

    /// Forgets all history; the peer's half must do so at the same point.
    func reset()
}
