import DivanJSON

/// A field of comma-separated values (RFC 4180), as an import reads it back.
public enum CSVField {
    /// A text: quoted if it would be read back as a number, a truth value or nothing.
    public static func text(_ text: String) -> String {
        text.isEmpty || (try? JSON(parsing: text)) != nil ? text.quotedByDoubling : plain(text)
    }

    /// A value that is not text, or a title: quoted if it would be split.
    public static func plain(_ text: String) -> String {
        text.utf8.contains(where: special.contains) ? text.quotedByDoubling : text
    }

    /// The value of a field without quotes.
    ///
    /// A number, `true`, `false` or `null` only if writing it gives the same text: `007`, `0E0` and `1.50`
    /// are codes and amounts that a number would change.
    static func value(of text: String) -> JSON {
        guard let value = try? JSON(parsing: text) else { return .string(text) }
        switch value {
        case .string, .array, .object: return .string(text)
        case .null, .bool, .int, .uint, .double, .long:
            return ExactText(value.canonicalText) == ExactText(text) ? value : .string(text)
        }
    }

    private static let special = Set("\",\n\r".utf8)
}
