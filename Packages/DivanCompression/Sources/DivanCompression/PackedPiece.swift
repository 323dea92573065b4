extension [UInt8] {
    /// Lets a C library append the compressed form of `head` and `body`.
    ///
    /// For compressors that call one. `pack` receives both inputs, which are valid during the call, and the start
    /// of `bound` bytes of memory; it writes at most that many bytes and returns their number.
    ///
    /// - Returns: The result of `pack`, or 0 if there is not enough memory.
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
        // At least doubled, so that appending many pieces stays linear.
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
