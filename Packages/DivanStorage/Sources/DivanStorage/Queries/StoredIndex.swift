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

    /// What the keys of a collection's indexes begin with in the space `indexes`; the index's name follows.
    public static func keyPrefix(in collection: CollectionID) -> String {
        "\(collection.rawValue)."
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
