public import DivanJSON

/// A `SELECT` with all names resolved, ready for an executor.
///
/// Sources, columns, variables and full-text matches are identified by position, so no lookup can fail. Defaults
/// that a `QueryStatement` omits are filled in.
public struct CheckedStatement: Hashable, Sendable {
    /// The values of each row, at least one.
    public var columns: [CheckedColumn]
    /// Whether equal rows are returned once.
    public var isDistinct: Bool
    /// The sources of the rows, at least one; a source refers only to earlier sources.
    public var sources: [CheckedSource]
    /// `WHERE`; rows are returned only if it is `true`.
    public var filter: CheckedExpression?
    /// `GROUP BY`.
    public var groups: [CheckedKey]
    /// `HAVING`.
    public var groupFilter: CheckedExpression?
    /// `ORDER BY`.
    public var orderings: [CheckedOrdering]
    /// `LIMIT`; negative means 0.
    public var limit: CheckedExpression?
    /// `OFFSET`; negative means 0.
    public var offset: CheckedExpression?
    /// The `MATCH` conditions, each a term of the top-level `AND` of `filter`.
    public var matches: [CheckedMatch]
    /// The vector searches.
    public var vectorSearches: [CheckedVectorSearch]
    /// Whether it contains an aggregate, with or without `GROUP BY`.
    public var isAggregate: Bool
    /// The names of all parameters, including those in subqueries, each once, in order of appearance.
    public var parameters: [ExactText]

    /// Creates a statement; for the checks and for tests.
    public init(
        columns: [CheckedColumn],
        isDistinct: Bool = false,
        sources: [CheckedSource],
        filter: CheckedExpression? = nil,
        groups: [CheckedKey] = [],
        groupFilter: CheckedExpression? = nil,
        orderings: [CheckedOrdering] = [],
        limit: CheckedExpression? = nil,
        offset: CheckedExpression? = nil,
        matches: [CheckedMatch] = [],
        vectorSearches: [CheckedVectorSearch] = [],
        isAggregate: Bool = false,
        parameters: [ExactText] = []
    ) {
        self.columns = columns
        self.isDistinct = isDistinct
        self.sources = sources
        self.filter = filter
        self.groups = groups
        self.groupFilter = groupFilter
        self.orderings = orderings
        self.limit = limit
        self.offset = offset
        self.matches = matches
        self.vectorSearches = vectorSearches
        self.isAggregate = isAggregate
        self.parameters = parameters
    }
}

extension CheckedStatement {
    /// The expression that an alias stands for; any other expression is returned as it is.
    public func named(_ expression: CheckedExpression) -> CheckedExpression {
        guard case .column(let index, let path) = expression, path.isEmpty else {
            return expression
        }
        return named(columns[index].expression)
    }
}

/// A column with its title.
public struct CheckedColumn: Hashable, Sendable {
    /// The name of the value in results; unique among the columns.
    public var title: ExactText
    /// The value.
    public var expression: CheckedExpression
    /// The collation with which `DISTINCT` compares text.
    public var collation: QueryCollation
    /// Whether the value is returned as it is compared: a boolean as a number, a container as canonical JSON.
    public var isPlain: Bool

    /// Creates a column.
    public init(
        title: ExactText,
        _ expression: CheckedExpression,
        collation: QueryCollation = .binary,
        isPlain: Bool = false
    ) {
        self.title = title
        self.expression = expression
        self.collation = collation
        self.isPlain = isPlain
    }

    /// The key that rows are grouped by if equal ones are shown once.
    public var key: CheckedKey { CheckedKey(expression, collation: collation) }
}

/// The collection that a source reads.
public struct QueryCollection: Hashable, Sendable {
    /// Its scope.
    public var scope: ExactText
    /// Its name in that scope.
    public var name: ExactText

    /// Creates a reference to a collection.
    public init(scope: ExactText, name: ExactText) {
        self.scope = scope
        self.name = name
    }

    /// `_default._default`.
    public static let standard = QueryCollection(scope: "_default", name: "_default")
}

/// A source that exists.
public struct CheckedSource: Hashable, Sendable {
    /// The kinds of sources.
    public enum Form: Hashable, Sendable {
        /// The documents of a collection.
        case documents(QueryCollection)
        /// The items below `path` in each row of an earlier source: those of an array, the
        /// values of an object, a scalar once; none if there is no value.
        case items(source: Int, path: QueryPath)
    }

    /// The kind.
    public var form: Form
    /// How it is joined to the earlier sources; `nil` for the first source and for items.
    public var join: QueryJoin?
    /// `ON`; always present for `inner` and `leftOuter`, never for others.
    public var condition: CheckedExpression?
    /// Whether deleted documents are included because the query refers to `META().deleted`.
    public var includesDeleted: Bool

    /// Creates a source.
    public init(
        _ form: Form,
        join: QueryJoin? = nil,
        on condition: CheckedExpression? = nil,
        includesDeleted: Bool = false
    ) {
        self.form = form
        self.join = join
        self.condition = condition
        self.includesDeleted = includesDeleted
    }
}

/// A key that rows are grouped by.
public struct CheckedKey: Hashable, Sendable {
    /// The value.
    public var expression: CheckedExpression
    /// The collation with which text is compared.
    public var collation: QueryCollation

    /// Creates a key.
    public init(_ expression: CheckedExpression, collation: QueryCollation = .binary) {
        self.expression = expression
        self.collation = collation
    }
}

/// A key that rows are sorted by.
public struct CheckedOrdering: Hashable, Sendable {
    /// The value and the order of its text.
    public var key: CheckedKey
    /// Whether the greatest value comes first.
    public var isDescending: Bool

    /// Creates an ordering.
    public init(_ key: CheckedKey, isDescending: Bool = false) {
        self.key = key
        self.isDescending = isDescending
    }
}

/// A full-text condition.
public struct CheckedMatch: Hashable, Sendable {
    /// The source whose collection has the index.
    public var source: Int
    /// The index.
    public var index: ExactText
    /// The words to search for.
    public var text: CheckedExpression

    /// Creates a condition.
    public init(source: Int, index: ExactText, text: CheckedExpression) {
        self.source = source
        self.index = index
        self.text = text
    }
}
