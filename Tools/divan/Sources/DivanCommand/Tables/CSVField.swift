import DivanCommandLine
import DivanJSON

/// A field of comma-separated values (RFC 4180), as `divan import` reads it back.
enum CSVField {
    /// A text: quoted if it would be read back as a number, a truth value or nothing.
    static func text(_ text: String) -> String {
        text.isEmpty || (try? JSON(parsing: text)) != nil ? quoted(text) : plain(text)
    }

    /// A value that is not text, or a title: quoted if it would be split.
    static func plain(_ text: String) -> String {
        text.utf8.contains(where: special.contains) ? quoted(text) : text
    }

    private static let special = Set("\",\n\r".utf8)

    private static func quoted(_ text: String) -> String {
        "\"" + text.spelling("\"", as: "\"\"") + "\""
    }
}
