extension [UInt8] {
    /// Appends the bytes that `write` stores in `room` zeros, from a position on; it returns where they end.
    ///
    /// Overwriting bytes needs no check of the capacity.
    mutating func append(upTo room: Int, storedBy write: (inout MutableRawSpan, Int) -> Int) {
        #if compiler(>=6.3)
        append(addingCapacity: room) { output in
            output.append(repeating: 0, count: room)
            var span = output.mutableSpan
            var bytes = span.mutableBytes
            let end = write(&bytes, 0)
            output.removeLast(room - end)
        }
        #else
        // Slower, for a compiler without `append(addingCapacity:)`.
        let start = count
        append(contentsOf: repeatElement(0, count: room))
        var span = mutableSpan
        var bytes = span.mutableBytes
        let end = write(&bytes, start)
        removeLast(count - end)
        #endif
    }
}
