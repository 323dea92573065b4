/// The start of a message: the length of the properties, and the properties.
enum PropertyBlock {
    /// Reads the block at the start of `bytes`.
    ///
    /// - Returns: The properties and where the body starts, or `nil` if more bytes are needed.
    static func read(
        _ bytes: Span<UInt8>,
        limit: Int
    ) throws(BLIPError.Reason) -> (properties: BLIPProperties, bodyOffset: Int)? {
        var offset = 0
        guard let length = try readVarint(bytes, at: &offset) else { return nil }
        guard length <= UInt64(clamping: limit) else {
            throw .propertiesTooLarge(byteCount: length, limit: limit)
        }
        let byteCount = Int(length)
        guard byteCount > 0 else { return (BLIPProperties(), offset) }
        guard byteCount <= bytes.count - offset else { return nil }
        let block = bytes.extracting(offset..<offset + byteCount)
        guard block[byteCount - 1] == 0, arePairs(block), isUTF8(block) else {
            throw .malformedProperties
        }
        let copy = block.withUnsafeBufferPointer { Array($0) }
        return (BLIPProperties(checked: copy), offset + byteCount)
    }

    /// Whether the number of zeros is even, eight bytes at a time.
    private static func arePairs(_ block: Span<UInt8>) -> Bool {
        block.withUnsafeBytes { bytes in
            let low: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
            var (zeros, offset): (UInt64, Int) = (0, 0)
            // Each load ends within the block, and each byte counts once.
            while offset <= bytes.count &- 8 {
                let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                // The top bit of exactly those bytes that are zero; two at the same position cancel out.
                zeros ^= ~(((word & low) &+ low) | word | low)
                offset &+= 8
            }
            while offset < bytes.count {
                if bytes[offset] == 0 { zeros ^= 1 }
                offset &+= 1
            }
            return zeros.nonzeroBitCount.isMultiple(of: 2)
        }
    }

    private static func isUTF8(_ block: Span<UInt8>) -> Bool {
        (try? UTF8Span(validating: block)) != nil
    }
}
