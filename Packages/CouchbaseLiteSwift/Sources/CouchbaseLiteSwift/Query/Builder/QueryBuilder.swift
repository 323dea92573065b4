import DivanQuery

/// Builds queries in code, clause by clause.
///
/// ```swift
/// let query = QueryBuilder
///     .select(SelectResult.property("name"))
///     .from(DataSource.collection(chairs))
///     .where(Expression.property("price").lessThan(Expression.int(100)))
///     .orderBy(Ordering.property("name"))
/// ```
///
/// Each clause returns a query that can be executed. The query is checked on first use, which throws if it is invalid.
///
/// Source: `sqlpp.md` §11.
public final class QueryBuilder: Sendable {
    private init() {}

    /// Starts a query with its columns; without columns, it returns the whole body.
    public static func select(_ results: any SelectResultProtocol...) -> Select { select(results) }

    /// Starts a query with its columns; without columns, it returns the whole body.
    public static func select(_ results: [any SelectResultProtocol]) -> Select {
        Select(results, isDistinct: false)
    }

    /// Starts a query with its columns that returns equal rows only once.
    public static func selectDistinct(_ results: any SelectResultProtocol...) -> Select {
        selectDistinct(results)
    }

    /// Starts a query with its columns that returns equal rows only once.
    public static func selectDistinct(_ results: [any SelectResultProtocol]) -> Select {
        Select(results, isDistinct: true)
    }
}

/// The columns of a query without its source.
public final class Select: Sendable {
    private let statement: QueryStatement

    init(_ results: [any SelectResultProtocol], isDistinct: Bool) {
        let results = results.isEmpty ? [SelectResult.all()] : results
        statement = QueryStatement(
            columns: results.map { QueryColumn($0) },
            isDistinct: isDistinct,
            sources: []
        )
    }

    /// Adds the source.
    public func from(_ dataSource: any DataSourceProtocol) -> From {
        let built = BuiltSource(dataSource)
        var statement = statement
        statement.sources = [built.source]
        return From(QueryCore(statement, of: built.collection.database))
    }
}

extension Query {
    /// Returns the query with one more clause.
    fileprivate func with<Next>(
        _ next: (QueryCore) -> Next,
        _ edit: (inout QueryStatement) -> Void
    ) -> Next {
        var statement = core.statement
        edit(&statement)
        return next(QueryCore(statement, of: core.database))
    }
}

/// A query up to its source.
public final class From: JoinRouter, WhereRouter, GroupByRouter, OrderByRouter, LimitRouter,
    ConcreteQuery
{
    let made: QueryCore

    init(_ made: QueryCore) {
        self.made = made
    }
}

/// A query up to its joins.
public final class Joins: WhereRouter, OrderByRouter, LimitRouter, ConcreteQuery {
    let made: QueryCore

    init(_ made: QueryCore) {
        self.made = made
    }
}

/// A query up to its condition.
public final class Where: GroupByRouter, OrderByRouter, LimitRouter, ConcreteQuery {
    let made: QueryCore

    init(_ made: QueryCore) {
        self.made = made
    }
}

/// A query up to its groups.
public final class GroupBy: HavingRouter, OrderByRouter, LimitRouter, ConcreteQuery {
    let made: QueryCore

    init(_ made: QueryCore) {
        self.made = made
    }
}

/// A query up to the condition on its groups.
public final class Having: OrderByRouter, LimitRouter, ConcreteQuery {
    let made: QueryCore

    init(_ made: QueryCore) {
        self.made = made
    }
}

/// A query up to its order.
public final class OrderBy: LimitRouter, ConcreteQuery {
    let made: QueryCore

    init(_ made: QueryCore) {
        self.made = made
    }
}

/// A complete query.
public final class Limit: Query, ConcreteQuery {
    let made: QueryCore

    init(_ made: QueryCore) {
        self.made = made
    }
}

/// A query that can be joined.
public protocol JoinRouter: Query {}
/// A query that can have a condition.
public protocol WhereRouter: Query {}
/// A query that can be grouped.
public protocol GroupByRouter: Query {}
/// A query that can have a condition on its groups.
public protocol HavingRouter: Query {}
/// A query that can be sorted.
public protocol OrderByRouter: Query {}
/// A query that can be limited to a number of rows.
public protocol LimitRouter: Query {}

extension JoinRouter {
    /// Joins other sources.
    public func join(_ joins: any JoinProtocol...) -> Joins { join(joins) }

    /// Joins other sources.
    public func join(_ joins: [any JoinProtocol]) -> Joins {
        with(Joins.init) { $0.sources += joins.map { BuiltJoin($0).source } }
    }
}

extension WhereRouter {
    /// Keeps the rows for which `expression` is true.
    public func `where`(_ expression: any ExpressionProtocol) -> Where {
        with(Where.init) { $0.filter = QueryExpression(expression) }
    }
}

extension GroupByRouter {
    /// Combines rows with equal values into one.
    public func groupBy(_ expressions: any ExpressionProtocol...) -> GroupBy {
        groupBy(expressions)
    }

    /// Combines rows with equal values into one.
    public func groupBy(_ expressions: [any ExpressionProtocol]) -> GroupBy {
        with(GroupBy.init) { $0.groups = expressions.map { QueryExpression($0) } }
    }
}

extension HavingRouter {
    /// Keeps the groups for which `expression` is true.
    public func having(_ expression: any ExpressionProtocol) -> Having {
        with(Having.init) { $0.groupFilter = QueryExpression(expression) }
    }
}

extension OrderByRouter {
    /// Sorts the rows.
    public func orderBy(_ orderings: any OrderingProtocol...) -> OrderBy { orderBy(orderings) }

    /// Sorts the rows.
    public func orderBy(_ orderings: [any OrderingProtocol]) -> OrderBy {
        with(OrderBy.init) { statement in
            statement.orderings = orderings.map { ordering in
                guard let order = ordering as? QuerySortOrder else {
                    stopForMisuse(
                        "\(type(of: ordering)) is not a supported ordering; use Ordering"
                    )
                }
                return order.ordering
            }
        }
    }
}

extension LimitRouter {
    /// Keeps at most `limit` rows.
    public func limit(_ limit: any ExpressionProtocol) -> Limit { self.limit(limit, offset: nil) }

    /// Keeps at most `limit` rows after the first `offset`.
    public func limit(
        _ limit: any ExpressionProtocol,
        offset: (any ExpressionProtocol)?
    ) -> Limit {
        with(Limit.init) { statement in
            statement.limit = QueryExpression(limit)
            statement.offset = offset.map { QueryExpression($0) }
        }
    }
}
