import DivanJSON
import DivanQuery

/// A column of a built query.
public protocol SelectResultProtocol: Sendable {}

/// A column that can be given a name.
public protocol SelectResultAs: SelectResultProtocol {
    /// Returns the same column with this name.
    func `as`(_ alias: String?) -> any SelectResultProtocol
}

/// The whole body; `from(_:)` selects its source.
public protocol SelectResultFrom: SelectResultProtocol {
    /// Returns the body of the source with this alias.
    func from(_ alias: String?) -> any SelectResultProtocol
}

/// Creates columns.
public final class SelectResult: Sendable {
    private init() {}

    /// A property.
    public static func property(_ property: String) -> any SelectResultAs {
        expression(Expression.property(property))
    }

    /// The value of an expression.
    public static func expression(_ expression: any ExpressionProtocol) -> any SelectResultAs {
        BuiltColumn(column: QueryColumn(QueryExpression(expression)))
    }

    /// The whole body, in one column named like the source.
    public static func all() -> any SelectResultFrom { BuiltBody() }
}

struct BuiltColumn: SelectResultAs {
    let column: QueryColumn

    func `as`(_ alias: String?) -> any SelectResultProtocol {
        BuiltColumn(column: QueryColumn(column.expression, alias: alias.map { ExactText($0) }))
    }
}

struct BuiltBody: SelectResultFrom {
    func from(_ alias: String?) -> any SelectResultProtocol {
        BuiltColumn(column: QueryColumn(QueryExpression(Expression.all().from(alias))))
    }
}

extension QueryColumn {
    /// Creates the column for an argument of `select`.
    init(_ result: any SelectResultProtocol) {
        switch result {
        case let built as BuiltColumn: self = built.column
        case is BuiltBody: self.init(QueryExpression(Expression.all()))
        default:
            stopForMisuse(
                "\(type(of: result)) is not a supported column; use SelectResult"
            )
        }
    }
}

/// A sort order for the rows of a built query.
public protocol OrderingProtocol: Sendable {}

/// Creates orderings.
public final class Ordering: Sendable {
    private init() {}

    /// Sorts by a property.
    public static func property(_ property: String) -> QuerySortOrder {
        expression(Expression.property(property))
    }

    /// Sorts by the value of an expression.
    public static func expression(_ expression: any ExpressionProtocol) -> QuerySortOrder {
        QuerySortOrder(QueryOrdering(QueryExpression(expression)))
    }
}

/// An ordering, ascending by default.
public final class QuerySortOrder: OrderingProtocol {
    let ordering: QueryOrdering

    init(_ ordering: QueryOrdering) {
        self.ordering = ordering
    }

    /// Sorts in ascending order.
    public func ascending() -> any OrderingProtocol {
        QuerySortOrder(QueryOrdering(ordering.expression))
    }

    /// Sorts in descending order.
    public func descending() -> any OrderingProtocol {
        QuerySortOrder(QueryOrdering(ordering.expression, isDescending: true))
    }
}

/// The former name of an ordering.
@available(*, deprecated, renamed: "QuerySortOrder")
public typealias SortOrder = QuerySortOrder
