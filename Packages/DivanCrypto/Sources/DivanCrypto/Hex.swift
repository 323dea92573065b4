/// Bytes as hexadecimal text.
///
/// Source: RFC 4648 §8, in lower case as revision IDs and fingerprints are written.
public enum Hex {
    /// Returns two lower-case digits for each byte.
    public static func encode(_ bytes: Span<UInt8>) -> String {
        String(unsafeUninitializedCapacity: bytes.count * 2) { text in
            for index in bytes.indices {
                let byte = bytes[index]
                text[index * 2] = digit(byte >> 4)
                text[index * 2 + 1] = digit(byte & 15)
            }
            return bytes.count * 2
        }
    }

    /// Decodes digits of either case; `nil` for other characters and for an odd number of digits.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let characters = text.utf8
        guard characters.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(characters.count / 2)
        var high: UInt8?
        for character in characters {
            guard let digit = value(character) else { return nil }
            if let half = high {
                bytes.append(half << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        return bytes
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    private static func value(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
