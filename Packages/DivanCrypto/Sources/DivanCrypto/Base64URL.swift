/// Bytes as Base64 text with the alphabet for URLs, without padding.
///
/// Source: RFC 4648 §5; RFC 7515 §2.
public enum Base64URL {
    /// Returns four characters for every three bytes; the last ones may be fewer.
    public static func encode(_ bytes: Span<UInt8>) -> String {
        let text = Base64.encode(bytes).utf8.filter { $0 != UInt8(ascii: "=") }.map { byte in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: byte
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes only text that `encode` returns, so that each value has only one text; `nil` for any other.
    public static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        var characters: [UInt8] = []
        characters.reserveCapacity(text.count + 2)
        for byte in text {
            switch byte {
            case UInt8(ascii: "-"): characters.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): characters.append(UInt8(ascii: "/"))
            case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): return nil
            default: characters.append(byte)
            }
        }
        guard characters.count % 4 != 1 else { return nil }
        while !characters.count.isMultiple(of: 4) { characters.append(UInt8(ascii: "=")) }
        return Base64.decode(String(decoding: characters, as: UTF8.self))
    }
}
