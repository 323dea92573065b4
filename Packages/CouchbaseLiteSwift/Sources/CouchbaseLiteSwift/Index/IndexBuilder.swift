import DivanJSON
import DivanQuery

/// An index built with ``IndexBuilder``.
public protocol Index {}

/// Builds indexes from expressions in code.
///
/// To use SQL++, see ``IndexConfiguration``.
public final class IndexBuilder: Sendable {
    private init() {}

    /// Creates a value index.
    public static func valueIndex(items: ValueIndexItem...) -> ValueIndex {
        valueIndex(items: items)
    }

    /// Creates a value index.
    public static func valueIndex(items: [ValueIndexItem]) -> ValueIndex {
        ValueIndex(items.map(\.expression))
    }

    /// An index of the words in text.
    public static func fullTextIndex(items: FullTextIndexItem...) -> FullTextIndex {
        fullTextIndex(items: items)
    }

    /// An index of the words in text.
    public static func fullTextIndex(items: [FullTextIndexItem]) -> FullTextIndex {
        FullTextIndex(items.map(\.expression))
    }
}

/// An item of a value index.
public final class ValueIndexItem: Sendable {
    let expression: QueryExpression

    private init(_ expression: any ExpressionProtocol) {
        self.expression = QueryExpression(expression)
    }

    /// A property.
    public static func property(_ property: String) -> ValueIndexItem {
        ValueIndexItem(Expression.property(property))
    }

    /// The value of an expression.
    public static func expression(_ expression: any ExpressionProtocol) -> ValueIndexItem {
        ValueIndexItem(expression)
    }
}

/// An item of a full-text index.
public final class FullTextIndexItem: Sendable {
    let expression: QueryExpression

    private init(_ expression: any ExpressionProtocol) {
        self.expression = QueryExpression(expression)
    }

    /// A property.
    public static func property(_ property: String) -> FullTextIndexItem {
        FullTextIndexItem(Expression.property(property))
    }
}

/// Creates a value index.
public final class ValueIndex: Index, Sendable {
    let expressions: [QueryExpression]

    init(_ expressions: [QueryExpression]) {
        self.expressions = expressions
    }
}

/// An index of the words in text; configure it before passing it to a collection.
public final class FullTextIndex: Index {
    let expressions: [QueryExpression]
    private(set) var ignoresAccents = FullTextIndexConfiguration.defaultIgnoreAccents
    private(set) var language: String?

    init(_ expressions: [QueryExpression]) {
        self.expressions = expressions
    }

    /// Whether to ignore accents, so that `café` and `cafe` are the same word.
    public func ignoreAccents(_ ignoreAccents: Bool) -> Self {
        ignoresAccents = ignoreAccents
        return self
    }

    /// The language for stemming; `""` for none, `nil` for the language of the current locale.
    public func language(_ language: String?) -> Self {
        self.language = language
        return self
    }
}
