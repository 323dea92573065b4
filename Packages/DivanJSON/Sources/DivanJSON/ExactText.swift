/// Text that is compared by its bytes, as in JSON, SQLite and every peer.
///
/// `String` compares by Unicode equivalence: composed and decomposed `é` are one key of a dictionary, but two
/// members of an object, two documents of a database and two user names. So text from the network, a file or a user
/// must not be used as a key of type `String`.
public struct ExactText: Hashable, Sendable {
    /// The text itself.
    public let text: String

    /// Wraps a string; nothing is copied.
    public init(_ text: String) {
        self.text = text
    }

    /// Whether both have the same bytes.
    public static func == (left: ExactText, right: ExactText) -> Bool {
        left.text.hasSameBytes(as: right.text)
    }

    /// Hashes the bytes, and a byte that UTF-8 never contains, so that adjacent strings stay distinct.
    public func hash(into hasher: inout Hasher) {
        text.utf8.span.bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        hasher.combine(0xFF as UInt8)
    }
}

extension ExactText: Comparable {
    /// Whether one string precedes another in the order of UTF-8 bytes.
    public static func < (left: ExactText, right: ExactText) -> Bool {
        left.text.precedesByBytes(right.text)
    }
}

extension ExactText: ExpressibleByStringLiteral {
    /// Wraps a string literal.
    public init(stringLiteral text: String) {
        self.init(text)
    }
}

extension ExactText: CustomStringConvertible {
    /// The text itself.
    public var description: String { text }
}
