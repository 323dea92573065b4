/// Makes full-text conditions as code written before ``FullTextFunction`` does.
@available(*, deprecated, message: "Use FullTextFunction.match(_:query:).")
public final class FullTextExpression: Sendable {
    private init() {}

    /// Begins a condition on the full-text index of a name, which may follow an alias and a dot.
    public static func index(_ name: String) -> any FullTextExpressionProtocol {
        NamedIndex(index: FullTextFunction.named(name))
    }
}

/// A full-text index that needs what is looked for.
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
