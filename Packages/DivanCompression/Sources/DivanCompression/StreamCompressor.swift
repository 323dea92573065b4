/// The compressor of one direction: pieces share history, and each can be decompressed at once.
///
/// Allocates the library's state at the first non-empty piece. Use it on one thread at a time.
public protocol StreamCompressor: AnyObject {
    /// Appends the compressed form of `input`; nothing for empty input.
    ///
    /// - Throws: `CompressionError.library`. The history is then lost: call `reset()`, or close the connection.
    func compress(
        _ input: Span<UInt8>,
        appendingTo output: inout [UInt8]
    ) throws(CompressionError)

    /// Appends the compressed form of `head` and `body`, one piece as if they were one array.
    ///
    /// A codec need not implement this method: by default the two are joined first. An implementation that copies
    /// its input anyway, or accepts it in parts, saves a copy.
    ///
    /// - Throws: `CompressionError.library`, as `compress(_:appendingTo:)`.
    func compress(
        _ head: Span<UInt8>,
        followedBy body: Span<UInt8>,
        appendingTo output: inout [UInt8]
    ) throws(CompressionError)

    /// Discards all history; the peer must reset its decompressor at the same point.
    func reset()
}

extension StreamCompressor {
    /// Joins and compresses the two.
    public func compress(
        _ head: Span<UInt8>,
        followedBy body: Span<UInt8>,
        appendingTo output: inout [UInt8]
    ) throws(CompressionError) {
        if body.isEmpty { return try compress(head, appendingTo: &output) }
        var joined: [UInt8] = []
        joined.reserveCapacity(head.count + body.count)
        head.withUnsafeBufferPointer { joined.append(contentsOf: $0) }
        body.withUnsafeBufferPointer { joined.append(contentsOf: $0) }
        try compress(joined.span, appendingTo: &output)
    }
}
