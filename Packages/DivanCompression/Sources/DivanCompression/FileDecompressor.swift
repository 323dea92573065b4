/// Decompresses a file that arrives in pieces of any size.
///
/// One call appends at most 128 KiB, so that a small file cannot fill the memory. A file may consist of several
/// compressed parts, whose contents are joined. Used by one thread at a time; unusable after an error.
public protocol FileDecompressor: AnyObject {
    /// Whether the file can end after the bytes so far: at the end of a part.
    var isComplete: Bool { get }

    /// Appends decompressed bytes.
    ///
    /// Call it again with the rest of the input until it consumes everything and appends nothing.
    ///
    /// - Parameters:
    ///   - input: Bytes of the file.
    ///   - output: Receives at most 128 KiB.
    /// - Returns: How many bytes of the input were consumed.
    /// - Throws: `CompressionError` with `corrupt` for invalid bytes, after everything before them was appended;
    ///   with `library` if memory cannot be allocated.
    func decompress(
        _ input: Span<UInt8>,
        appendingTo output: inout [UInt8]
    ) throws(CompressionError) -> Int
}
