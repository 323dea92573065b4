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
        appendBytes(atMost: bound) { start in
            packedCount = head.withUnsafeBufferPointer { head in
                body.withUnsafeBufferPointer { body in pack(head, body, start) }
            }
            return packedCount
        }
        return packedCount
    }

    /// Appends the bytes that `write` stores at an address with memory for `bound`; it returns their number.
    @inlinable
    mutating func appendBytes(atMost bound: Int, _ write: (UnsafeMutablePointer<UInt8>) -> Int) {
        #if compiler(>=6.3)
        append(addingCapacity: bound) { room in
            room.withUnsafeMutableBufferPointer { room, filledCount in
                guard let start = room.baseAddress.map({ $0 + filledCount }) else { return }
                filledCount += write(start)
            }
        }
        #else
        // Arrays of this compiler have no memory without a value.
        let start = count
        append(contentsOf: repeatElement(0, count: bound))
        let written = withUnsafeMutableBufferPointer { bytes in
            bytes.baseAddress.map { write($0 + start) } ?? 0
        }
        removeLast(bound - written)
        #endif
    }
}
