import DivanJSON
import DivanQuery

/// Starts conditions on the items of an array.
public final class ArrayExpression: Sendable {
    private init() {}

    /// A variable for an item: `v`, `v.name`, `v[0]`.
    public static func variable(_ name: String) -> any VariableExpressionProtocol {
        BuiltExpression(.variable(QueryPath(property: name)))
    }

    /// Starts a condition that at least one item must satisfy.
    public static func any(_ variable: any VariableExpressionProtocol) -> any ArrayExpressionIn {
        BuiltQuantifier(.any, variable)
    }

    /// Starts a condition that every item must satisfy; true for an empty array.
    public static func every(_ variable: any VariableExpressionProtocol) -> any ArrayExpressionIn {
        BuiltQuantifier(.every, variable)
    }

    /// Starts a condition that every item must satisfy; false for an empty array.
    public static func anyAndEvery(
        _ variable: any VariableExpressionProtocol
    ) -> any ArrayExpressionIn {
        BuiltQuantifier(.anyAndEvery, variable)
    }
}

/// A condition on items without its array.
public protocol ArrayExpressionIn: Sendable {
    /// Sets the array.
    func `in`(_ expression: any ExpressionProtocol) -> any ArrayExpressionSatisfies
}

/// A condition on items without its expression.
public protocol ArrayExpressionSatisfies: Sendable {
    /// Sets the condition, which uses the variable.
    func satisfies(_ expression: any ExpressionProtocol) -> any ExpressionProtocol
}

private struct BuiltQuantifier: ArrayExpressionIn {
    let quantifier: QueryQuantifier
    let variable: ExactText

    init(_ quantifier: QueryQuantifier, _ variable: any VariableExpressionProtocol) {
        guard case .variable(let path) = QueryExpression(variable).form, path.steps.count == 1,
            case .key(let name) = path.steps[0]
        else { stopForMisuse("ArrayExpression: pass ArrayExpression.variable with a plain name") }
        self.quantifier = quantifier
        self.variable = name
    }

    func `in`(_ expression: any ExpressionProtocol) -> any ArrayExpressionSatisfies {
        BuiltCondition(head: self, items: QueryExpression(expression))
    }
}

private struct BuiltCondition: ArrayExpressionSatisfies {
    let head: BuiltQuantifier
    let items: QueryExpression

    func satisfies(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        BuiltExpression(
            .quantified(
                head.quantifier,
                variable: head.variable,
                in: items,
                satisfies: QueryExpression(expression)
            )
        )
    }
}

/// Functions on arrays.
public final class ArrayFunction: Sendable {
    private init() {}

    /// Whether the array `expression` contains `value`.
    public static func contains(
        _ expression: any ExpressionProtocol,
        value: any ExpressionProtocol
    ) -> any ExpressionProtocol {
        BuiltExpression(
            .call(.arrayContains, [QueryExpression(expression), QueryExpression(value)])
        )
    }

    /// Number of items of the array `expression`.
    public static func length(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        BuiltExpression(.call(.arrayLength, [QueryExpression(expression)]))
    }
}

/// Full-text search in built queries.
public final class FullTextFunction: Sendable {
    private init() {}

    /// Whether the row's document matches `query` in a full-text index.
    public static func match(
        _ index: any IndexExpressionProtocol,
        query: String
    ) -> any ExpressionProtocol {
        BuiltExpression(
            .match(index: QueryPath(index: index), QueryExpression(.literal(.string(query))))
        )
    }

    /// The rank of the match; higher is better.
    public static func rank(_ index: any IndexExpressionProtocol) -> any ExpressionProtocol {
        BuiltExpression(.rank(index: QueryPath(index: index)))
    }

    /// Whether the row's document matches `query` in a full-text index.
    @available(*, deprecated, message: "Use match(_:query:) with Expression.fullTextIndex.")
    public static func match(indexName: String, query: String) -> any ExpressionProtocol {
        match(named(indexName), query: query)
    }

    /// The rank of the match; higher is better.
    @available(*, deprecated, message: "Use rank(_:) with Expression.fullTextIndex.")
    public static func rank(_ indexName: String) -> any ExpressionProtocol {
        rank(named(indexName))
    }

    /// An index by its name, optionally preceded by an alias and a dot.
    static func named(_ name: String) -> any IndexExpressionProtocol {
        BuiltIndex(path: QueryPath(property: name))
    }
}
