import DivanJSON

/// Reads SQL++ by recursive descent: one pass, at most two tokens ahead, never back.
///
/// Each expression comes with its height, so that neither a deep text nor a long chain of
/// comparisons makes a tree that overflows the stack of code that walks or frees it.
/// Source: `sqlpp.md` §1.
struct SQLParser {
    var tokens: SQLTokens
    let limits: QueryLimits
    /// Names of the variables of the `ANY` and `EVERY` that enclose the next token.
    var variables: [ExactText] = []
    /// Levels of recursion, including parentheses, which leave no trace in the tree.
    private var depth = 0

    /// An expression and its number of levels.
    struct Parsed {
        var expression: QueryExpression
        var height = 1
    }

    init(_ text: String, limits: QueryLimits) throws(QueryError) {
        guard text.utf8.count <= limits.byteCount else {
            throw QueryError(
                "\(text.utf8.count) bytes of SQL++ exceed the limit of \(limits.byteCount);"
                    + " pass long values as parameters"
            )
        }
        tokens = SQLTokens(text)
        self.limits = limits
    }

    /// Goes down one level; `leave` goes back up.
    mutating func enter() throws(QueryError) {
        guard depth < limits.depth else { throw tooDeep() }
        depth += 1
    }

    mutating func leave() { depth -= 1 }

    /// Puts expressions under a new one.
    func node(
        _ form: QueryExpression.Form,
        at place: QueryPosition,
        over heights: Int...
    ) throws(QueryError) -> Parsed {
        let height = 1 + (heights.max() ?? 0)
        guard height <= limits.depth else { throw tooDeep() }
        return Parsed(expression: QueryExpression(form, at: place), height: height)
    }

    private func tooDeep() -> QueryError {
        tokens.syntaxError("expressions are nested deeper than \(limits.depth); simplify them")
    }

    /// Reads `element { "," element }`.
    mutating func list<Element>(
        _ element: (inout SQLParser) throws(QueryError) -> Element
    ) throws(QueryError) -> [Element] {
        var elements = [try element(&self)]
        while tokens.take(.comma) { elements.append(try element(&self)) }
        return elements
    }

    /// Reads `expr { "," expr }` up to a closing mark, or only the mark.
    mutating func expressions(
        until mark: SQLPunctuation
    ) throws(QueryError) -> (items: [QueryExpression], height: Int) {
        if tokens.take(mark) { return ([], 0) }
        var height = 0
        let items = try list { parser throws(QueryError) in
            let parsed = try parser.expression()
            height = max(height, parsed.height)
            return parsed.expression
        }
        guard tokens.take(mark) else { throw tokens.unexpected("',' or '\(mark.rawValue)'") }
        return (items, height)
    }

    mutating func expectEnd() throws(QueryError) {
        _ = tokens.take(.semicolon)
        guard tokens.current.form == .end else { throw tokens.unexpected("the end of the query") }
    }
}

extension QueryStatement {
    /// Parses a `SELECT` in SQL++.
    ///
    /// - Throws: `QueryError` with the position in the text.
    public init(sql text: String, limits: QueryLimits = .standard) throws(QueryError) {
        var parser = try SQLParser(text, limits: limits)
        guard parser.tokens.isAt(.select) else { throw parser.missingSelect() }
        self = try parser.select().statement
        try parser.expectEnd()
    }

    /// Parses the expressions of an index, separated by commas.
    ///
    /// - Throws: `QueryError` with the position in the text.
    public static func indexedExpressions(
        sql text: String,
        limits: QueryLimits = .standard
    ) throws(QueryError) -> [QueryExpression] {
        var parser = try SQLParser(text, limits: limits)
        let columns = try parser.columns().items
        try parser.expectEnd()
        return columns.map(\.expression)
    }

    /// Parses the expressions of an index and, after `WHERE`, the condition of a partial index.
    ///
    /// - Returns: The condition as written; `nil` if there is none.
    /// - Throws: `QueryError` with the position in the text.
    public static func indexDescription(
        sql text: String,
        limits: QueryLimits = .standard
    ) throws(QueryError) -> (expressions: [QueryExpression], condition: String?) {
        var parser = try SQLParser(text, limits: limits)
        let expressions = try parser.columns().items.map(\.expression)
        guard parser.tokens.isAt(.where) else {
            try parser.expectEnd()
            return (expressions, nil)
        }
        parser.tokens.advance()
        let condition = parser.tokens.rest
        _ = try parser.expression()
        try parser.expectEnd()
        return (expressions, condition)
    }
}

extension QueryExpression {
    /// Parses one SQL++ expression, such as the condition of a partial index.
    ///
    /// - Throws: `QueryError` with the position in the text.
    public init(sql text: String, limits: QueryLimits = .standard) throws(QueryError) {
        var parser = try SQLParser(text, limits: limits)
        self = try parser.expression().expression
        try parser.expectEnd()
    }
}
