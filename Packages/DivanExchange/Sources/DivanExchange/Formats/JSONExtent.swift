/// Where a JSON value in a stream of bytes ends; its content is not checked.
struct JSONExtent {
    /// What a byte is to the value.
    enum Step {
        case inside
        /// The last byte of the value.
        case last
        /// The first byte after the value, which is a number or a literal.
        case after
    }

    private var depth = 0
    private var isInString = false
    private var isEscaped = false

    /// Begins with the first byte of the value.
    init(first byte: UInt8) {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth = 1
        case UInt8(ascii: "\""): isInString = true
        default: break
        }
    }

    /// Whether the value has no terminator of its own, so that the input can end with it.
    var isBare: Bool { depth == 0 && !isInString }

    /// Follows the next byte.
    mutating func take(_ byte: UInt8) -> Step {
        if isInString {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInString = false
                return depth == 0 ? .last : .inside
            }
            return .inside
        }
        if depth == 0 { return Self.delimiters.contains(byte) ? .after : .inside }
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            depth -= 1
            if depth == 0 { return .last }
        default: break
        }
        return .inside
    }

    private static let delimiters = Array(" \t\r\n,]}:".utf8)
}
