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
