internal import DivanFullText
public import DivanJSON
public import DivanQuery

/// An index of a collection.
public struct StoredIndex: Hashable, Sendable {
    /// The kinds of indexes; the raw values are stored.
    public enum Kind: String, Sendable {
        /// Values of expressions.
        case value
        /// Items of an array.
        case array
        /// Words of text.
        case fullText
        /// Vectors.
        case vector
        /// The output of a model.
        case predictive
    }

    /// Its name, unique in its collection.
    public let name: ExactText
    /// The kind.
    public let kind: Kind
    /// The definition as it was written when the index was created, for display.
    public let source: String
    /// The FTS5 tokenizer; `nil` unless it is a full-text index.
    public let tokenizer: String?

    /// The language of its stems and stop words, `nil` for none, and whether it ignores accents; `nil` unless it is
    /// a full-text index.
    public var words: (language: String?, ignoresAccents: Bool)? {
        tokenizer.flatMap(FullText.description)
    }

    /// The expression and the parameters of a vector index; `nil` for others.
    public var vectors: QueryVectorIndex? {
        kind == .vector ? QueryVectorIndex(name: name, source: source) : nil
    }

    /// Creates a description as an engine stored it.
    public init(name: ExactText, kind: Kind, source: String, tokenizer: String?) {
        self.name = name
        self.kind = kind
        self.source = source
        self.tokenizer = tokenizer
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

    /// A summary for display: `price, LOWER(name) WHERE stars > 3`, `the items of tags`, `number of the items of
    /// contacts[].phones`, `embedding (384 dimensions, 100 centroids,
    /// cosine)`.
    public var summary: String {
        if let vectors { return vectors.summary }
        guard kind == .array, let place = source.ranges(of: " OF ").last else { return source }
        let items = "the items of \(source[place.upperBound...])"
        let expressions = source[..<place.lowerBound]
        return expressions.isEmpty ? items : "\(expressions) of \(items)"
    }
}

extension QueryVectorIndex {
    /// The expression and the parameters, for display.
    fileprivate var summary: String {
        let centroids = options.centroidCount == 1 ? "centroid" : "centroids"
        let parts =
            [
                "\(options.dimensions) dimensions", "\(options.centroidCount) \(centroids)",
                options.metric.rawValue,
            ] + (options.isLazy ? ["lazy"] : [])
        return "\(expression) (\(parts.joined(separator: ", ")))"
    }
}

extension QueryIndexDefinition {
    /// The kind of index that this defines.
    public var kind: StoredIndex.Kind {
        switch self {
        case .value: .value
        case .array: .array
        case .fullText: .fullText
        case .vector: .vector
        case .predictive: .predictive
        }
    }
}
