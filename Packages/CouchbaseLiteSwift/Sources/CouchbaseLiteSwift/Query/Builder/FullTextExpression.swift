/// Creates full-text conditions, for code written before ``FullTextFunction``.
@available(*, deprecated, message: "Use FullTextFunction.match(_:query:).")
public final class FullTextExpression: Sendable {
    private init() {}

    /// Starts a condition on a full-text index by its name, optionally preceded by an alias and a dot.
    public static func index(_ name: String) -> any FullTextExpressionProtocol {
        NamedIndex(index: FullTextFunction.named(name))
    }
}

/// A full-text index without its search text.
@available(*, deprecated, message: "Use FullTextFunction.match(_:query:).")
public protocol FullTextExpressionProtocol: Sendable {
    /// Whether the row's document matches `query`.
    func match(_ query: String) -> any ExpressionProtocol
}

@available(*, deprecated)
private struct NamedIndex: FullTextExpressionProtocol {
    let index: any IndexExpressionProtocol

    func match(_ query: String) -> any ExpressionProtocol {
        FullTextFunction.match(index, query: query)
    }
}
