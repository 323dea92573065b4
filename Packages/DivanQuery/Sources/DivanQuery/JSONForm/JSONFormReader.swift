public import DivanJSON

/// Reads statements from the JSON form; operators and keys may be in any letter case.
///
/// Source: `sqlpp.md` §10.
struct JSONFormReader {
    let limits: QueryLimits
    var depth = 0

    init(limits: QueryLimits) {
        self.limits = limits
    }

    /// Reads a whole query: a `SELECT`, only its object, or a condition.
    mutating func query(_ json: JSON) throws(QueryError) -> QueryStatement {
        if let members = json.object { return try statement(members) }
        if let items = json.array, Self.name(items.first) == "SELECT" {
            return try select(items)
        }
        return QueryStatement(columns: [], sources: [], filter: try expression(json))
    }

    /// Reads `["SELECT", {…}]`.
    mutating func select(_ items: [JSON]) throws(QueryError) -> QueryStatement {
        guard items.count == 2, let members = items[1].object else {
            throw Self.wrongCount("SELECT")
        }
        return try statement(members)
    }

    private mutating func statement(_ members: JSONObject) throws(QueryError) -> QueryStatement {
        var statement = QueryStatement(columns: [], sources: [])
        for (key, value) in members {
            switch key.uppercased() {
            case "WHAT": statement.columns = try columns(value)
            case "DISTINCT": statement.isDistinct = try Self.boolean(value, "DISTINCT")
            case "FROM": statement.sources = try sources(value)
            case "WHERE": statement.filter = try expression(value)
            case "GROUP_BY":
                for item in try Self.list(value, "GROUP_BY") {
                    statement.groups.append(try expressionAmongPaths(item))
                }
            case "HAVING": statement.groupFilter = try expression(value)
            case "ORDER_BY":
                for item in try Self.list(value, "ORDER_BY") {
                    statement.orderings.append(try ordering(item))
                }
            case "LIMIT": statement.limit = try expression(value)
            case "OFFSET": statement.offset = try expression(value)
            default: throw QueryError("unknown key '\(key.prefix(64))' in SELECT")
            }
        }
        return statement
    }

    private mutating func columns(_ value: JSON) throws(QueryError) -> [QueryColumn] {
        var columns: [QueryColumn] = []
        for item in try Self.list(value, "WHAT") {
            guard let parts = item.array, Self.name(parts.first) == "AS" else {
                columns.append(QueryColumn(try expressionAmongPaths(item)))
                continue
            }
            guard parts.count == 3, let alias = parts[2].string else { throw Self.wrongCount("AS") }
            guard !alias.isEmpty else { throw Self.emptyAlias }
            columns.append(QueryColumn(try expression(parts[1]), alias: ExactText(alias)))
        }
        return columns
    }

    /// Reads a node, or a text with a leading dot, which is a path here.
    private mutating func expressionAmongPaths(_ json: JSON) throws(QueryError) -> QueryExpression {
        guard let text = json.string, text.begins(with: ".") else { return try expression(json) }
        return try expression([.string(text)])
    }

    private mutating func ordering(_ item: JSON) throws(QueryError) -> QueryOrdering {
        let parts = item.array ?? []
        switch Self.name(parts.first) {
        case "ASC" where parts.count == 2:
            return QueryOrdering(try expressionAmongPaths(parts[1]))
        case "DESC" where parts.count == 2:
            return QueryOrdering(try expressionAmongPaths(parts[1]), isDescending: true)
        default: return QueryOrdering(try expressionAmongPaths(item))
        }
    }

    private mutating func sources(_ value: JSON) throws(QueryError) -> [QuerySource] {
        var sources: [QuerySource] = []
        for item in try Self.list(value, "FROM") {
            guard let members = item.object else { throw Self.notSource }
            sources.append(try source(members, isFirst: sources.isEmpty))
            guard sources.count <= limits.sourceCount else {
                throw QueryError("a query can have at most \(limits.sourceCount) sources")
            }
        }
        return sources
    }

    private mutating func source(
        _ members: JSONObject,
        isFirst: Bool
    ) throws(QueryError) -> QuerySource {
        var fields = SourceFields()
        for (key, value) in members { try fields.take(key, value) }
        if let items = fields.items {
            guard !isFirst else { throw QueryError("first FROM item must be primary source") }
            guard fields.join == nil, fields.condition == nil else {
                throw QueryError("UNNEST cannot accept a JOIN or ON clause")
            }
            return QuerySource(.items(of: try expression(items)), alias: fields.alias)
        }
        let condition = try fields.condition.map { json throws(QueryError) in try expression(json) }
        let join = fields.join ?? (condition == nil ? nil : .inner)
        if isFirst {
            guard join == nil else { throw QueryError("first FROM item must be primary source") }
        } else if join == nil {
            throw QueryError("multiple non-join FROM items")
        }
        return QuerySource(
            try fields.form(isFirst: isFirst),
            alias: fields.alias,
            join: join,
            on: condition
        )
    }

    static let emptyAlias = QueryError("the name after AS is empty")
    static let notSource = QueryError("FROM contains an item that is not an object")

    static func name(_ json: JSON?) -> String? { json?.string?.uppercased() }

    static func wrongCount(_ name: String) -> QueryError {
        QueryError("Wrong number of arguments to \(name.prefix(64))")
    }

    private static func list(_ value: JSON, _ key: String) throws(QueryError) -> [JSON] {
        guard let items = value.array else { throw QueryError("\(key) must be an array") }
        return items
    }

    private static func boolean(_ value: JSON, _ key: String) throws(QueryError) -> Bool {
        guard let bool = value.bool else { throw QueryError("\(key) must be true or false") }
        return bool
    }
}

extension QueryStatement {
    /// Parses a query in the JSON form.
    ///
    /// - Throws: `QueryError`, without a position.
    public init(json: JSON, limits: QueryLimits = .standard) throws(QueryError) {
        var reader = JSONFormReader(limits: limits)
        self = try reader.query(json)
    }
}

extension QueryExpression {
    /// Parses an expression in the JSON form.
    ///
    /// - Throws: `QueryError`, without a position.
    public init(json: JSON, limits: QueryLimits = .standard) throws(QueryError) {
        var reader = JSONFormReader(limits: limits)
        self = try reader.expression(json)
    }
}
