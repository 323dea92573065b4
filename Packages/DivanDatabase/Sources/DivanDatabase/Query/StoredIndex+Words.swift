internal import DivanFullText
public import DivanJSON
public import DivanStore

// The words of a full-text index.
extension StoredIndex {
    /// The language of its stems and stop words, `nil` for none, and whether it ignores accents; `nil` unless it is
    /// a full-text index.
    public var words: (language: String?, ignoresAccents: Bool)? {
        tokenizer.flatMap(FullText.description)
    }

    /// Creates a description of an index in another database; for the language and the accents, see `words`.
    public init(
        name: ExactText,
        kind: Kind,
        source: String,
        language: String?,
        ignoresAccents: Bool
    ) {
        self.init(
            name: name,
            kind: kind,
            source: source,
            tokenizer: kind == .fullText
                ? FullText.tokenizer(language: language, ignoresAccents: ignoresAccents) : nil
        )
    }

    /// Whether it cannot find words in a text, because the text has no spaces between words, but the index was
    /// created for a language with spaces.
    public func hidesWords(of text: String) -> Bool {
        tokenizer.map { FullText.hidesWords(of: text, fromTokenizer: $0) } ?? false
    }
}
