internal import CDivanFullText

/// Full-text search for SQLite: a tokenizer and a rank function for FTS5, and the query syntax.
///
/// A table is created with `tokenize = '…'` and the text that `tokenizer(language:ignoresAccents:)` returns, and
/// searched with `MATCH divan_full_text_query1(words, columns, tokenizer)`, which ignores text for which the
/// tokenizer has no word. Another tokenizer can be used in the table's definition; nothing else depends on it.
public enum FullText {
    /// Adds the tokenizer and the functions to a connection, before any statement uses an FTS5 table that refers to
    /// them.
    ///
    /// - Parameter connection: The `sqlite3 *`; used on the thread that uses the connection.
    /// - Returns: SQLite's result code, 0 for success.
    public static func add(to connection: OpaquePointer) -> Int32 {
        divan_add_full_text(connection)
    }

    /// The value for a table's `tokenize`, which consists of letters, digits and spaces.
    ///
    /// - Parameters:
    ///   - language: A code such as `en` or `en_US`, or an English name, whose stems and stop words are used;
    ///     with `nil`, or a language that Snowball does not support, words are not changed. For languages without
    ///     spaces between words (Chinese, Japanese, Thai, Lao, Khmer, Burmese) each character is indexed, and a
    ///     word is found where its characters are adjacent.
    ///   - ignoresAccents: Whether `é` equals `e`.
    /// - Returns: The value, such as `divan4 en 0`.
    public static func tokenizer(language: String?, ignoresAccents: Bool) -> String {
        let known = language.flatMap { name(of: $0) } ?? "none"
        let kind = languagesWithoutBlanks.contains(known) ? characterTokenizer : wordTokenizer
        return "\(kind) \(known) \(ignoresAccents ? 0 : 1)"
    }

    /// The arguments for which ``tokenizer(language:ignoresAccents:)`` returns a value.
    ///
    /// - Returns: `nil` for a value that it never returns.
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

    /// Whether a language is supported: its words are reduced to stems, or its text is split into characters.
    ///
    /// - Parameter language: As in ``tokenizer(language:ignoresAccents:)``.
    /// - Returns: False also for text that is not a language.
    public static func knows(language: String) -> Bool {
        guard let name = name(of: language) else { return false }
        return languagesWithoutBlanks.contains(name) || divan_has_stems(name) != 0
    }

    /// The leading letters in lower case: `en` of `en_US`; `nil` for a text that names no language.
    private static func name(of language: String) -> String? {
        let letters = language.lowercased().utf8.prefix { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        }
        return (1...15).contains(letters.count) ? String(letters) : nil
    }

    /// Whether a table may treat words of a text as parts of longer words: the text contains scripts without spaces
    /// between words, and the tokenizer is that of another language.
    public static func hidesWords(of text: String, fromTokenizer tokenizer: String) -> Bool {
        !characterTokenizers.contains(String(tokenizer.prefix { $0 != " " }))
            && text.unicodeScalars.contains { divan_has_no_blanks($0.value) != 0 }
    }

    /// The definition of a table with the current tokenizer in place of an earlier one, which remains available.
    ///
    /// - Parameter definition: A text that contains `tokenize = '…'`.
    /// - Returns: `nil` if it does not refer to an earlier tokenizer.
    public static func renewed(_ definition: String) -> String? {
        guard let start = definition.firstRange(of: "tokenize = '") else { return nil }
        let name = definition[start.upperBound...].prefix { $0 != "'" }
        guard let meaning = description(ofTokenizer: String(name)) else { return nil }
        let present = tokenizer(language: meaning.language, ignoresAccents: meaning.ignoresAccents)
        guard present != name else { return nil }
        var renewed = definition
        renewed.replaceSubrange(name.startIndex..<name.endIndex, with: present)
        return renewed
    }

    /// Whether the definition of a table refers to a tokenizer that normalizes text, which depends on the version
    /// of Unicode.
    public static func normalizes(_ definition: String) -> Bool {
        [wordTokenizer, characterTokenizer].contains { definition.contains("tokenize = '\($0) ") }
    }

    /// The tokenizer of words.
    private static let wordTokenizer = "divan4"
    /// The tokenizer that indexes each character.
    private static let characterTokenizer = "divan5"
    private static let characterTokenizers: Set = ["divan2", characterTokenizer]
    private static let tokenizers: Set = [
        "divan1", "divan2", "divan3", wordTokenizer, characterTokenizer,
    ]

    private static let languagesWithoutBlanks: Set = [
        "zh", "chinese", "ja", "japanese", "th", "thai", "lo", "lao", "km", "khmer", "my",
        "burmese",
    ]
}
