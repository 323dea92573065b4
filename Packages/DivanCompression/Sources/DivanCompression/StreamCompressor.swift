/// The sending half of one direction: pieces share history, and each can be read at once.
///
/// Allocates its library state at the first non-empty piece. Must not be used by two threads at once.
public protocol StreamCompressor: AnyObject {
    /// Appends the compressed form of `input`; nothing for empty input.
    ///
    /// - Throws: `CompressionError.library`. The history is then lost: call `reset()`, or end the connection.
    func compress(
        _ input: Span<UInt8>,
        appendingTo output: inout [UInt8]
    ) throws(CompressionError)

    /// Appends the compressed form of `head` and `body`, one piece as if they were one array.
    ///
    /// A codec need not implement it: by default the two are joined first. One that copies its input anyway, or takes
    /// it in parts, saves a copy.
    ///
    /// - Throws: `CompressionError.library`, as `compress(_:appendingTo:)`.
    func compress(
        _ head: Span<UInt8>,
        followedBy body: Span<UInt8>,
        appendingTo output: inout [UInt8]
    ) throws(CompressionError)

    /// Forgets all history; the peer's half must do so at the same point.
    func reset()
}

extension StreamCompressor {
    /// Joins the two and compresses them.
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
