/// Whether the bytes are a token (RFC 9110 §5.6.2), such as the name of a field or a cookie.
func isToken(_ bytes: some Collection<UInt8>) -> Bool {
    !bytes.isEmpty
        && bytes.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
        }
}

/// Whether a cookie's value may contain the byte (RFC 6265 §4.1.1, `cookie-octet`).
func isCookieByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x21, 0x23...0x2B, 0x2D...0x3A, 0x3C...0x5B, 0x5D...0x7E: true
    default: false
    }
}

extension Substring {
    /// The text without spaces and tabs at both ends.
    var trimmed: Substring {
        let isSpace = { (character: Character) in character == " " || character == "\t" }
        guard let last = lastIndex(where: { !isSpace($0) }) else { return self[endIndex...] }
        return self[...last].drop(while: isSpace)
    }
}
