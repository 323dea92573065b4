import DivanCrypto

/// Base64 with the alphabet for URLs, without padding.
///
/// Source: RFC 7515 §2.
enum Base64URL {
    /// Decodes only the text that an encoder returns, so that a signature has only one text.
    static func decode(_ text: Substring) -> [UInt8]? {
        var characters: [UInt8] = []
        characters.reserveCapacity(text.utf8.count + 2)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "-"): characters.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): characters.append(UInt8(ascii: "/"))
            case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): return nil
            default: characters.append(byte)
            }
        }
        guard characters.count % 4 != 1 else { return nil }
        while characters.count % 4 != 0 { characters.append(UInt8(ascii: "=")) }
        return Base64.decode(String(decoding: characters, as: UTF8.self))
    }
}
