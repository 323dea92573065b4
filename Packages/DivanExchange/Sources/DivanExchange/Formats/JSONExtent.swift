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

    private var nesting = JSONNesting()

    /// Begins with the first byte of the value.
    init(first byte: UInt8) {
        nesting.take(byte)
    }

    /// Whether the value is a number or a literal, which the end of the input can end.
    var isBare: Bool { nesting.isClosed }

    /// Follows the next byte.
    mutating func take(_ byte: UInt8) -> Step {
        if isBare { return Self.delimiters.contains(byte) ? .after : .inside }
        nesting.take(byte)
        return nesting.isClosed ? .last : .inside
    }

    private static let delimiters = Array(" \t\r\n,]}:".utf8)
}
