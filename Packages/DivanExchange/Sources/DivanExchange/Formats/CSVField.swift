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
    /// A number, `true`, `false`, `null`, an object or an array only if writing it gives the same text: `007`, `0E0` and
    /// `1.50` are codes and amounts that a number would change.
    static func value(of text: String) -> JSON {
        guard let value = try? JSON(parsing: text), value.string == nil,
            ExactText(value.canonicalText) == ExactText(text)
        else { return .string(text) }
        return value
    }

    /// The value of a field in quotes: text, unless it is an object or array that an export has to quote.
    static func quotedValue(of text: String) -> JSON {
        guard let first = text.utf8.first, "{[".utf8.contains(first), plain(text) != text
        else { return .string(text) }
        return value(of: text)
    }

    private static let special = Set("\",\n\r".utf8)
}
