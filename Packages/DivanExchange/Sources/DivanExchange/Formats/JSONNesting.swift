/// The brackets and the string around the present byte of a stream of JSON; nothing else is checked.
struct JSONNesting {
    /// The number of open brackets.
    private(set) var depth = 0
    /// Whether a string is open.
    private(set) var isInString = false
    private var isEscaped = false

    /// Whether neither a bracket nor a string is open.
    var isClosed: Bool { depth == 0 && !isInString }

    /// Follows the next byte; a closing bracket without an opening one is ignored.
    mutating func take(_ byte: UInt8) {
        if isInString {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInString = false
            }
            return
        }
        switch byte {
        case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
        case UInt8(ascii: "]"), UInt8(ascii: "}"): depth = max(0, depth - 1)
        case UInt8(ascii: "\""): isInString = true
        default: break
        }
    }
}
