import DivanCommandLine
import DivanJSON

/// A field of comma-separated values (RFC 4180), as `divan import` reads it back.
enum CSVField {
    /// A text: in quotes where it would come back as a number, a truth value or nothing.
    static func text(_ text: String) -> String {
        text.isEmpty || (try? JSON(parsing: text)) != nil ? quoted(text) : plain(text)
    }

    /// What is no text, and a title: in quotes where it would be cut.
    static func plain(_ text: String) -> String {
        text.utf8.contains(where: special.contains) ? quoted(text) : text
    }

    private static let special = Set("\",\n\r".utf8)

    private static func quoted(_ text: String) -> String {
        "\"" + text.spelling("\"", as: "\"\"") + "\""
    }
}
