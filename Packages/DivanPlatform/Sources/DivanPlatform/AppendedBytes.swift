extension [UInt8] {
    /// Appends the bytes that a C function stores in memory for up to `limit` bytes.
    ///
    /// - Parameters:
    ///   - limit: The size of the memory in bytes; 0 or more.
    ///   - write: Stores bytes at the address, and returns their number, which is at most `limit`. The memory
    ///     belongs to the array, and is valid during the call.
    @inlinable
    public mutating func appendBytes(
        upTo limit: Int,
        storedBy write: (UnsafeMutablePointer<UInt8>?) -> Int
    ) {
        #if compiler(>=6.3)
        append(addingCapacity: limit) { output in
            output.withUnsafeMutableBufferPointer { bytes, count in
                count += write(bytes.baseAddress.map { $0 + count })
            }
        }
        #else
        // Arrays of this compiler have no memory without a value.
        let start = count
        append(contentsOf: repeatElement(0, count: limit))
        let added = withUnsafeMutableBufferPointer { bytes in
            write(bytes.baseAddress.map { $0 + start })
        }
        removeLast(limit - added)
        #endif
    }
}
