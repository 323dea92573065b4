/// Compresses a file piece by piece; used by one thread at a time.
public protocol FileCompressor: AnyObject {
    /// Appends compressed bytes; some of the input may remain in the compressor.
    ///
    /// - Throws: `CompressionError` with `library` if memory cannot be allocated.
    func compress(
        _ input: Span<UInt8>,
        appendingTo output: inout [UInt8]
    ) throws(CompressionError)

    /// Appends the rest and the end of the file; the compressor cannot be used afterwards.
    ///
    /// - Throws: As ``compress(_:appendingTo:)``.
    func finish(appendingTo output: inout [UInt8]) throws(CompressionError)
}
