/// Reads bytes in order; any input gives a value or damage.
struct ByteCursor {
    private let bytes: [UInt8]
    private(set) var offset: Int
    private let end: Int

    init(_ bytes: [UInt8], in range: Range<Int>) {
        self.bytes = bytes
        let range = range.clamped(to: bytes.indices)
        offset = range.lowerBound
        end = range.upperBound
    }

    var remainingCount: Int { end - offset }
    var isAtEnd: Bool { offset == end }

    /// `nil` at the end.
    mutating func byte() -> UInt8? {
        guard offset < end else { return nil }
        defer { offset += 1 }
        return bytes[offset]
    }

    /// Two bytes, the higher first.
    mutating func short() -> Int? {
        guard remainingCount >= 2 else { return nil }
        defer { offset += 2 }
        return Int(bytes[offset]) << 8 | Int(bytes[offset + 1])
    }

    /// Four bytes, the highest first.
    mutating func long() -> Int? {
        guard let high = short(), let low = short() else { return nil }
        return high << 16 | low
    }

    /// 7 bits per byte, the least significant first; at most 10 bytes, and 64 bits.
    mutating func varint() -> UInt64? {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            guard let byte = byte() else { return nil }
            if shift == 63, byte > 1 { return nil }
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return number }
        }
        return nil
    }

    /// The positions of the next bytes.
    mutating func range(count: Int) -> Range<Int>? {
        guard count >= 0, count <= remainingCount else { return nil }
        defer { offset += count }
        return offset..<offset + count
    }
}
