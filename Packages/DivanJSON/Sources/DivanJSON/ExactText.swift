/// Text that is equal if its bytes are, as JSON, SQLite and every peer compare it.
///
/// `String` compares by Unicode equivalence: composed and decomposed `é` are one key of a
/// dictionary, but two members of an object, two documents of a database and two user names.
/// So text from the wire, a file or a person is never used as a key as a `String`.
public struct ExactText: Hashable, Sendable {
    /// The text itself.
    public let text: String

    /// Wraps a text; nothing is copied.
    public init(_ text: String) {
        self.text = text
    }

    /// Whether both have the same bytes.
    public static func == (left: ExactText, right: ExactText) -> Bool {
        left.text.hasSameBytes(as: right.text)
    }

    /// Hashes the bytes, and a byte that UTF-8 never contains, so that adjacent texts stay distinct.
    public func hash(into hasher: inout Hasher) {
        text.utf8.span.bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        hasher.combine(0xFF as UInt8)
    }
}

extension ExactText: Comparable {
    /// Whether one text precedes another in the order of UTF-8 bytes.
    public static func < (left: ExactText, right: ExactText) -> Bool {
        left.text.precedesByBytes(right.text)
    }
}

extension ExactText: ExpressibleByStringLiteral {
    /// Wraps a text literal.
    public init(stringLiteral text: String) {
        self.init(text)
    }
}

extension ExactText: CustomStringConvertible {
    /// The text itself.
    public var description: String { text }
}
