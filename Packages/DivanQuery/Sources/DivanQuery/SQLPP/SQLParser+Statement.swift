import DivanJSON

extension SQLParser {
    /// Reads `SELECT …` up to the first token that is not part of it.
    mutating func select() throws(QueryError) -> (statement: QueryStatement, height: Int) {
        try tokens.expect(.select)
        var statement = QueryStatement(columns: [], sources: [])
        statement.isDistinct = tokens.take(.distinct)
        if !statement.isDistinct { try skipAll() }
        // A sub-query sees no outer variable: it has its own namespace.
        let outer = variables
        variables = []
        defer { variables = outer }
        let columns = try columns()
        statement.columns = columns.items
        try expectFrom()
        let sources = try sources()
        statement.sources = sources.items
        var height = max(columns.height, sources.height)
        if tokens.take(.where) { statement.filter = try clause(&height) }
        if tokens.take(.group) {
            try tokens.expect(.by)
            statement.groups = try list { parser throws(QueryError) in
                try parser.clause(&height)
            }
            if tokens.take(.having) { statement.groupFilter = try clause(&height) }
        }
        if tokens.take(.order) {
            try tokens.expect(.by)
            statement.orderings = try list { parser throws(QueryError) in
                let expression = try parser.clause(&height)
                let isDescending = parser.tokens.take(.descending)
                if !isDescending { _ = parser.tokens.take(.ascending) }
                return QueryOrdering(expression, isDescending: isDescending)
            }
        }
        try rowLimits(of: &statement, &height)
        return (statement, height)
    }

    /// Reads an expression and records its height.
    private mutating func clause(_ height: inout Int) throws(QueryError) -> QueryExpression {
        let parsed = try expression()
        height = max(height, parsed.height)
        return parsed.expression
    }

    private mutating func expectFrom() throws(QueryError) {
        if tokens.take(.from) { return }
        guard tokens.current.form == .end || tokens.isAt(.semicolon) else {
            throw tokens.unexpected("FROM")
        }
        throw QueryError(
            "FROM is missing; name a collection, such as FROM _",
            at: tokens.place,
            in: tokens.source
        )
    }

    /// Reads `LIMIT` and `OFFSET` in either order, each once.
    private mutating func rowLimits(
        of statement: inout QueryStatement,
        _ height: inout Int
    ) throws(QueryError) {
        while tokens.isAt(.limit) || tokens.isAt(.offset) {
            let isLimit = tokens.isAt(.limit)
            guard (isLimit ? statement.limit : statement.offset) == nil else {
                throw tokens.unexpected("the end of the query")
            }
            tokens.advance()
            let count = try clause(&height)
            if isLimit { statement.limit = count } else { statement.offset = count }
        }
    }

    /// Skips `ALL` if it is not a property.
    private mutating func skipAll() throws(QueryError) {
        guard tokens.isAt(word: "ALL") else { return }
        switch tokens.peek().form {
        case .mark(.comma), .mark(.dot), .mark(.openBracket), .mark(.semicolon), .end: return
        case .keyword(let word)
        where ![.not, .case, .any, .every, .true, .false, .null, .missing]
            .contains(word):
            return
        default: tokens.advance()
        }
    }

    /// The error for a text that is no `SELECT`, with the point that the official parser would have reached.
    mutating func missingSelect() -> QueryError {
        let first = tokens.current
        let word = tokens.text(first)
        let hasName = tokens.nameAhead != nil && tokens.peek().form != .end
        let reached = hasName ? tokens.peek().range.lowerBound : first.range.lowerBound
        let problem: String
        switch first.form {
        case .end: problem = "the query is empty; write a SELECT statement"
        case .word, .keyword:
            if let remedy = ForeignWords.remedy(beginning: word) {
                problem = SyntaxMistake.foreign(word, remedy)
            } else if EditDistance.nearest(to: word, among: ["SELECT"]) != nil {
                problem = "unknown word \(word.prefix(32)); did you mean SELECT?"
            } else {
                fallthrough
            }
        case .quotedName, .integer, .double, .string, .mark:
            problem = "a query begins with SELECT, such as SELECT * FROM _"
        case .flaw: return tokens.unexpected("SELECT")
        }
        return QueryError(problem, at: tokens.place, in: tokens.source, syntaxOffset: reached)
    }

    /// Reads the columns of a result.
    mutating func columns() throws(QueryError) -> (items: [QueryColumn], height: Int) {
        var height = 0
        let items = try list { parser throws(QueryError) in
            let parsed = try parser.expression()
            height = max(height, parsed.height)
            return QueryColumn(parsed.expression, alias: try parser.alias())
        }
        return (items, height)
    }

    /// Reads `[AS] name`, if it is there.
    private mutating func alias() throws(QueryError) -> ExactText? {
        if tokens.take(.as) { return try tokens.expectName("a name after AS") }
        guard let name = tokens.nameAhead else { return nil }
        if tokens.isAt(word: "FULL") { try refuseFullJoin() }
        tokens.advance()
        return name
    }

    /// `FROM a FULL JOIN b` would take FULL for an alias of `a` and join in another way than it says.
    private mutating func refuseFullJoin() throws(QueryError) {
        switch tokens.peek().form {
        case .keyword(.join), .keyword(.outer): throw tokens.unexpected("JOIN")
        default: return
        }
    }

    private mutating func sources() throws(QueryError) -> (items: [QuerySource], height: Int) {
        var sources = [try collection()]
        var height = 0
        while true {
            let place = tokens.place
            if tokens.take(.unnest) {
                let parsed = try expression()
                height = max(height, parsed.height)
                let alias = try alias()
                sources.append(QuerySource(.items(of: parsed.expression), alias: alias, at: place))
            } else if let join = try join() {
                var source = try collection()
                source.join = join
                if tokens.take(.on) {
                    let parsed = try expression()
                    height = max(height, parsed.height)
                    source.condition = parsed.expression
                }
                sources.append(source)
            } else {
                return (sources, height)
            }
            guard sources.count <= limits.sourceCount else {
                throw QueryError(
                    "a query can have at most \(limits.sourceCount) sources",
                    at: place,
                    in: tokens.source
                )
            }
        }
    }

    /// Reads `[LEFT [OUTER] | INNER | CROSS] JOIN`, if it is there.
    private mutating func join() throws(QueryError) -> QueryJoin? {
        let join: QueryJoin
        if tokens.take(.join) { return .inner }
        if tokens.take(.left) {
            _ = tokens.take(.outer)
            join = .leftOuter
        } else if tokens.take(.inner) {
            join = .inner
        } else if tokens.take(.cross) {
            join = .cross
        } else {
            return nil
        }
        try tokens.expect(.join)
        return join
    }

    private mutating func collection() throws(QueryError) -> QuerySource {
        let place = tokens.place
        let first = try tokens.expectName("a collection name")
        var form = QuerySource.Form.collection(scope: nil, name: first)
        if tokens.take(.dot) {
            let name = try tokens.expectName("a collection name")
            form = .collection(scope: first, name: name)
        }
        return QuerySource(form, alias: try alias(), at: place)
    }
}
