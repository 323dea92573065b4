extension [UInt8] {
    /// Has a library in C append the compressed form of `head` and `body`.
    ///
    /// For compressors that call one. `pack` gets both inputs, which live as long as the call, and
    /// the start of `bound` bytes of room; it writes at most so many and returns how many.
    ///
    /// - Returns: What `pack` returned, and 0 when there is no room.
    @inlinable
    public mutating func appendPacked(
        _ head: Span<UInt8>,
        _ body: Span<UInt8>,
        atMost bound: Int,
        _ pack: (
            _ head: UnsafeBufferPointer<UInt8>,
            _ body: UnsafeBufferPointer<UInt8>,
            _ room: UnsafeMutablePointer<UInt8>
        ) -> Int
    ) -> Int {
        // Twice as much at least, so that many pieces in a row stay linear.
        if capacity - count < bound { reserveCapacity(Swift.max(count + bound, 2 * capacity)) }
        var packedCount = 0
        append(addingCapacity: bound) { room in
            room.withUnsafeMutableBufferPointer { room, filledCount in
                guard let start = room.baseAddress.map({ $0 + filledCount }) else { return }
                packedCount = head.withUnsafeBufferPointer { head in
                    body.withUnsafeBufferPointer { body in pack(head, body, start) }
                }
                filledCount += packedCount
            }
        }
        return packedCount
    }
}
