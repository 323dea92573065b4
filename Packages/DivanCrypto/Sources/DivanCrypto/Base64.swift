/// Bytes as Base64 text with the standard alphabet and padding.
///
/// Source: RFC 4648 §4.
public enum Base64 {
    /// Returns four characters for every three bytes, with padding.
    public static func encode(_ bytes: Span<UInt8>) -> String {
        let byteCount = (bytes.count + 2) / 3 * 4
        return String(unsafeUninitializedCapacity: byteCount) { text in
            var offset = 0
            for start in stride(from: 0, to: bytes.count, by: 3) {
                let rest = bytes.count - start
                let first = UInt32(bytes[start]) << 16
                let second = rest > 1 ? UInt32(bytes[start + 1]) << 8 : 0
                let third = rest > 2 ? UInt32(bytes[start + 2]) : 0
                let group = first | second | third
                text[offset] = character(group >> 18)
                text[offset + 1] = character(group >> 12)
                text[offset + 2] = rest > 1 ? character(group >> 6) : padding
                text[offset + 3] = rest > 2 ? character(group) : padding
                offset += 4
            }
            return offset
        }
    }

    /// Decodes only text that `encode` returns, so that each value has only one text.
    ///
    /// Returns `nil` for another alphabet, for missing or extra padding, for white space, and
    /// if bits after the last byte are not zero.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let characters = Array(text.utf8)
        guard characters.count.isMultiple(of: 4) else { return nil }
        let paddingCount = characters.suffix(2).reversed().prefix { $0 == padding }.count
        var bytes: [UInt8] = []
        bytes.reserveCapacity(characters.count / 4 * 3)
        var bits: UInt32 = 0
        var bitCount = 0
        for character in characters.dropLast(paddingCount) {
            guard let sextet = value(character) else { return nil }
            bits = bits << 6 | UInt32(sextet)
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
                bits &= (1 << UInt32(bitCount)) - 1
            }
        }
        return bits == 0 ? bytes : nil
    }

    private static let padding = UInt8(ascii: "=")

    private static func character(_ bits: UInt32) -> UInt8 {
        let sextet = UInt8(truncatingIfNeeded: bits & 63)
        return switch sextet {
        case 0..<26: UInt8(ascii: "A") + sextet
        case 26..<52: UInt8(ascii: "a") + sextet - 26
        case 52..<62: UInt8(ascii: "0") + sextet - 52
        case 62: UInt8(ascii: "+")
        default: UInt8(ascii: "/")
        }
    }

    private static func value(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
