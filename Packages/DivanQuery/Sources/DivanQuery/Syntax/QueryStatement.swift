public import DivanJSON

/// A `SELECT` as written.
public struct QueryStatement: Hashable, Sendable {
    /// The values of each row; empty in the JSON form means ID and sequence.
    public var columns: [QueryColumn]
    /// Whether equal rows are returned once.
    public var isDistinct: Bool
    /// The sources of the rows, the main source first; empty means the default collection.
    public var sources: [QuerySource]
    /// `WHERE`.
    public var filter: QueryExpression?
    /// `GROUP BY`.
    public var groups: [QueryExpression]
    /// `HAVING`.
    public var groupFilter: QueryExpression?
    /// `ORDER BY`.
    public var orderings: [QueryOrdering]
    /// `LIMIT`.
    public var limit: QueryExpression?
    /// `OFFSET`.
    public var offset: QueryExpression?

    /// Creates a statement.
    public init(
        columns: [QueryColumn],
        isDistinct: Bool = false,
        sources: [QuerySource],
        filter: QueryExpression? = nil,
        groups: [QueryExpression] = [],
        groupFilter: QueryExpression? = nil,
        orderings: [QueryOrdering] = [],
        limit: QueryExpression? = nil,
        offset: QueryExpression? = nil
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
    }
}

/// One column of a result.
public struct QueryColumn: Hashable, Sendable {
    /// The value.
    public var expression: QueryExpression
    /// The name after `AS`.
    public var alias: ExactText?

    /// Creates a column.
    public init(_ expression: QueryExpression, alias: ExactText? = nil) {
        self.expression = expression
        self.alias = alias
    }
}

/// A source of rows.
public struct QuerySource: Sendable {
    /// The kinds of sources.
    public enum Form: Hashable, Sendable {
        /// The documents of a collection; without a scope, as in `FROM name`.
        case collection(scope: ExactText?, name: ExactText)
        /// The main source's collection again; only in the JSON form.
        case mainCollection
        /// The items of an array, or the values of an object.
        case items(of: QueryExpression)
    }

    /// The kind.
    public var form: Form
    /// The name after `AS`.
    public var alias: ExactText?
    /// How it is joined to the earlier sources; `nil` for the first source and for items.
    public var join: QueryJoin?
    /// `ON`.
    public var condition: QueryExpression?
    /// Where it begins; `nil` if there is no text.
    public var place: QueryPosition?

    /// Creates a source.
    public init(
        _ form: Form,
        alias: ExactText? = nil,
        join: QueryJoin? = nil,
        on condition: QueryExpression? = nil,
        at place: QueryPosition? = nil
    ) {
        self.form = form
        self.alias = alias
        self.join = join
        self.condition = condition
        self.place = place
    }
}

extension QuerySource: Hashable {
    /// Whether both are the same, regardless of their positions.
    public static func == (left: QuerySource, right: QuerySource) -> Bool {
        left.form == right.form && left.alias == right.alias && left.join == right.join
            && left.condition == right.condition
    }

    /// Hashes the same content that equality compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(form)
        hasher.combine(alias)
        hasher.combine(join)
        hasher.combine(condition)
    }
}

/// A key that rows are sorted by.
public struct QueryOrdering: Hashable, Sendable {
    /// The value; `COLLATE` around it determines how text is ordered.
    public var expression: QueryExpression
    /// Whether the greatest value comes first.
    public var isDescending: Bool

    /// Creates an ordering.
    public init(_ expression: QueryExpression, isDescending: Bool = false) {
        self.expression = expression
        self.isDescending = isDescending
    }
}
