internal import CDivanBLIP

/// The running CRC-32 over all uncompressed payloads of one direction.
///
/// Source: `blip.md` §3.
struct Checksum: Equatable, Sendable {
    private(set) var value: UInt32 = 0

    mutating func update(_ plain: Span<UInt8>) {
        value = plain.withUnsafeBufferPointer { divan_crc32(value, $0.baseAddress, $0.count) }
    }

    /// Adds `head` and then `body`.
    mutating func update(_ head: Span<UInt8>, _ body: Span<UInt8>) {
        value = head.withUnsafeBufferPointer { head in
            body.withUnsafeBufferPointer { body in
                let (first, last) = (head.baseAddress, body.baseAddress)
                return divan_crc32_parts(value, first, head.count, last, body.count)
            }
        }
    }

    /// The four bytes at the end of a frame, the most significant first.
    func append(to frame: inout [UInt8]) {
        frame.append(UInt8(truncatingIfNeeded: value >> 24))
        frame.append(UInt8(truncatingIfNeeded: value >> 16))
        frame.append(UInt8(truncatingIfNeeded: value >> 8))
        frame.append(UInt8(truncatingIfNeeded: value))
    }
}
