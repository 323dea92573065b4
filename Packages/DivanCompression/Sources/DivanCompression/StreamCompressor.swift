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
