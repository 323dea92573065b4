/// Reads numbers and byte strings from the front of an encoding that may be damaged.
struct ByteReader {
    /// The encoding ends too early, or a number exceeds its type.
    struct Damage: Error {}

    private let bytes: [UInt8]
    private(set) var offset = 0

    init(_ bytes: Span<UInt8>) {
        self.bytes = bytes.withUnsafeBufferPointer { Array($0) }
    }

    var isAtEnd: Bool { offset == bytes.count }
    var remainingCount: Int { bytes.count - offset }

    mutating func readByte() throws(Damage) -> UInt8 {
        guard offset < bytes.count else { throw Damage() }
        defer { offset += 1 }
        return bytes[offset]
    }

    /// Reads a varint: seven bits to a byte, the lowest first, the top bit set on all but the last.
    mutating func readNumber() throws(Damage) -> UInt64 {
        var next = offset
        defer { offset = next }
        return try Self.readNumber(of: bytes.span, at: &next)
    }

    /// Reads a varint where a reader would not be worth its copy of the bytes.
    static func readNumber(
        of bytes: Span<UInt8>,
        at offset: inout Int
    ) throws(Damage) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            guard offset < bytes.count else { throw Damage() }
            let byte = bytes[offset]
            offset += 1
            let bits = UInt64(byte & 0x7F)
            guard shift < 63 || (shift == 63 && bits <= 1) else { throw Damage() }
            value |= bits << shift
            if byte & 0x80 == 0 { return value }
            shift += 7
        }
    }

    /// Reads a varint that is a count or position in memory.
    mutating func readCount() throws(Damage) -> Int {
        guard let count = Int(exactly: try readNumber()) else { throw Damage() }
        return count
    }

    mutating func readBytes(count: Int) throws(Damage) -> ArraySlice<UInt8> {
        guard count <= remainingCount else { throw Damage() }
        defer { offset += count }
        return bytes[offset..<offset + count]
    }
}

extension [UInt8] {
    /// Appends a varint as `ByteReader.readNumber` reads it.
    mutating func appendNumber(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    /// Appends a count or position as a varint.
    mutating func appendCount(_ value: Int) {
        appendNumber(UInt64(value))
    }
}
