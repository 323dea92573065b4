/// The characters that a header field may contain: others could inject further fields.
///
/// Source: RFC 9110 §5.
enum HeaderField {
    private static let marks = Set("!#$%&'*+-.^_`|~".utf8)

    /// Whether a text is a token, like the names of fields and cookies.
    static func isName(_ text: some StringProtocol) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: marks.contains(byte)
                }
            }
    }

    /// Whether a text has no control characters except tabs.
    static func isValue(_ text: some StringProtocol) -> Bool {
        text.utf8.allSatisfy { $0 == UInt8(ascii: "\t") || $0 >= 0x20 && $0 != 0x7F }
    }
}
