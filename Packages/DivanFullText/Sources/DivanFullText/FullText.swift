internal import CDivanFullText

/// Full-text search for SQLite: a tokenizer and a rank for FTS5, and the syntax of its queries.
///
/// A table is made with `tokenize = '…'` and the text that `tokenizer(language:ignoresAccents:)`
/// gives, and asked with `MATCH divan_full_text_query1(words, columns, tokenizer)`, which leaves out
/// what that tokenizer has no word for. Another tokenizer takes the place of this one in the table's
/// definition; nothing else knows it.
public enum FullText {
    /// Gives the tokenizer and the functions to a connection, before any statement touches a table
    /// of FTS5 that names one.
    ///
    /// - Parameter connection: The `sqlite3 *`; used on the thread that uses the connection.
    /// - Returns: SQLite's result code, 0 for success.
    public static func add(to connection: OpaquePointer) -> Int32 {
        divan_add_full_text(connection)
    }

    /// The words of a table's `tokenize`: letters, digits and spaces only.
    ///
    /// - Parameters:
    ///   - language: A code such as `en` or `en_US`, or an English name, whose stems and stop words
    ///     are used; `nil`, and a language that Snowball does not know, leaves words as they are. Those
    ///     that put no blanks between words (Chinese, Japanese, Thai, Lao, Khmer, Burmese) have each
    ///     character indexed, and a word is found wherever its characters follow each other.
    ///   - ignoresAccents: Whether `é` is `e`.
    /// - Returns: The text, such as `divan3 en 0`.
    public static func tokenizer(language: String?, ignoresAccents: Bool) -> String {
        let known = language.flatMap { name(of: $0) } ?? "none"
        // Where stop words do not matter, tables that were made with the first one are not made again.
        let kind =
            languagesWithoutBlanks.contains(known)
            ? characterTokenizer : divan_has_stop_words(known) != 0 ? stopTokenizer : plainTokenizer
        return "\(kind) \(known) \(ignoresAccents ? 0 : 1)"
    }

    /// What ``tokenizer(language:ignoresAccents:)`` was given for a text that it returned.
    ///
    /// - Returns: `nil` for a text that it never returns.
    public static func description(
        ofTokenizer text: String
    ) -> (language: String?, ignoresAccents: Bool)? {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, tokenizers.contains(String(words[0])),
            let language = name(of: String(words[1])), language == words[1],
            words[2] == "0" || words[2] == "1"
        else { return nil }
        return (language == "none" ? nil : language, words[2] == "0")
    }

    /// Whether words of a language are brought to their stems, or its texts are cut into characters.
    ///
    /// - Parameter language: As in ``tokenizer(language:ignoresAccents:)``.
    /// - Returns: False for what names no language, too.
    public static func knows(language: String) -> Bool {
        guard let name = name(of: language) else { return false }
        return languagesWithoutBlanks.contains(name) || divan_has_stems(name) != 0
    }

    /// The letters in front, in lower case: `en` of `en_US`; `nil` for what names no language.
    private static func name(of language: String) -> String? {
        let letters = language.lowercased().utf8.prefix { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        }
        return (1...15).contains(letters.count) ? String(letters) : nil
    }

    /// Whether a table takes a word of a text for a part of a longer one: the text has words of scripts
    /// that put no blanks between them, and the tokenizer is that of another language.
    public static func hidesWords(of text: String, fromTokenizer tokenizer: String) -> Bool {
        !tokenizer.hasPrefix(characterTokenizer + " ")
            && text.unicodeScalars.contains { divan_has_no_blanks($0.value) != 0 }
    }

    /// What has each character indexed.
    private static let characterTokenizer = "divan2"
    private static let plainTokenizer = "divan1"
    private static let stopTokenizer = "divan3"
    private static let tokenizers: Set = [plainTokenizer, characterTokenizer, stopTokenizer]

    private static let languagesWithoutBlanks: Set = [
        "zh", "chinese", "ja", "japanese", "th", "thai", "lo", "lao", "km", "khmer", "my",
        "burmese",
    ]
}
