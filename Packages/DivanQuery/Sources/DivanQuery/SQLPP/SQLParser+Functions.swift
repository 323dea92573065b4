import DivanJSON

extension SQLParser {
    /// Reads a name and its arguments in parentheses.
    mutating func function() throws(QueryError) -> Parsed {
        let place = tokens.place
        let word = tokens.text(tokens.current)
        let name = word.uppercased()
        switch name {
        case "META":
            enterArguments()
            return try metadata(at: place)
        case "MATCH":
            enterArguments()
            let index = try path()
            try tokens.expect(.comma)
            let text = try expression()
            try tokens.expect(.closeParenthesis)
            return try node(
                .match(index: index, text.expression),
                at: place,
                over: text.height
            )
        case "RANK":
            enterArguments()
            let index = try path()
            try tokens.expect(.closeParenthesis)
            return try node(.rank(index: index), at: place)
        case VectorSearches.name:
            enterArguments()
            let arguments = try expressions(until: .closeParenthesis)
            return try node(.vectorDistance(arguments.items), at: place, over: arguments.height)
        case QueryExpression.predictionName:
            return try prediction(at: place)
        case "EXISTS":
            return try exists(at: place)
        default:
            if let aggregate = QueryAggregate(rawValue: name) {
                enterArguments()
                return try self.aggregate(aggregate, at: place)
            }
            guard let function = QueryFunction(name: name) else {
                throw unknownFunction(word, at: place)
            }
            enterArguments()
            return try call(function, at: place)
        }
    }

    private mutating func enterArguments() {
        tokens.advance()
        tokens.advance()
    }

    private mutating func call(
        _ function: QueryFunction,
        at place: QueryPosition
    ) throws(QueryError) -> Parsed {
        let arguments = try expressions(until: .closeParenthesis)
        return try node(.call(function, arguments.items), at: place, over: arguments.height)
    }

    private mutating func aggregate(
        _ aggregate: QueryAggregate,
        at place: QueryPosition
    ) throws(QueryError) -> Parsed {
        let isDistinct = tokens.take(.distinct)
        let arguments = try expressions(until: .closeParenthesis)
        var argument = arguments.items.first
        let isCount = aggregate == .count && !isDistinct
        if isCount, case .everything(let path)? = argument?.form, path.isEmpty { argument = nil }
        guard arguments.items.count == 1 || isCount && arguments.items.isEmpty else {
            throw QueryError(
                "Wrong number of arguments to \(aggregate.rawValue)()",
                at: place,
                in: tokens.source
            )
        }
        return try node(
            .aggregate(aggregate, argument, isDistinct: isDistinct),
            at: place,
            over: arguments.height
        )
    }

    private mutating func metadata(at place: QueryPosition) throws(QueryError) -> Parsed {
        var source = QueryPath()
        if !tokens.isAt(.closeParenthesis) {
            source.steps.append(.key(try tokens.expectName("a source name")))
            while tokens.take(.dot) {
                source.steps.append(.key(try tokens.expectName("a collection name")))
            }
        }
        try tokens.expect(.closeParenthesis)
        guard tokens.take(.dot) else { return try node(.metadata(of: source, key: nil), at: place) }
        let path = try path()
        guard case .key(let key) = path.steps.first else { throw tokens.unexpected("a key") }
        let fact = try node(.metadata(of: source, key: key), at: place)
        if path.steps.count == 1 { return fact }
        return try node(
            .member(of: fact.expression, path.dropping(1)),
            at: place,
            over: fact.height
        )
    }

    /// Reads `PREDICTION(model, input)` and `PREDICTION(model, input, 'output')`.
    private mutating func prediction(at place: QueryPosition) throws(QueryError) -> Parsed {
        enterArguments()
        let model = try tokens.expectName("the name of a model")
        try tokens.expect(.comma)
        let arguments = try expressions(until: .closeParenthesis)
        guard let input = arguments.items.first, arguments.items.count <= 2 else {
            throw QueryError(
                "Wrong number of arguments to \(QueryExpression.predictionName)():"
                    + " it takes a model, an input and the name of an output",
                at: place,
                in: tokens.source
            )
        }
        let whole = try node(.prediction(model: model, input), at: place, over: arguments.height)
        guard arguments.items.count == 2 else { return whole }
        guard case .literal(.string(let output)) = arguments.items[1].form, !output.isEmpty else {
            throw QueryError(
                "the third argument of \(QueryExpression.predictionName)() must name an output",
                at: arguments.items[1].place,
                in: tokens.source
            )
        }
        return try node(
            .member(of: whole.expression, QueryPath(text: output)),
            at: place,
            over: whole.height
        )
    }

    private mutating func exists(at place: QueryPosition) throws(QueryError) -> Parsed {
        enterArguments()
        guard tokens.isAt(.select) else { throw tokens.unexpected("SELECT") }
        try enter()
        defer { leave() }
        let query = try select()
        try tokens.expect(.closeParenthesis)
        return try node(.exists(query.statement), at: place, over: query.height)
    }

    /// The error for an unknown function name, with the name that was probably meant.
    private mutating func unknownFunction(_ word: String, at place: QueryPosition) -> QueryError {
        let name = word.uppercased()
        let reached = tokens.peek().range.lowerBound
        if let remedy = ForeignWords.remedy(function: name) {
            return QueryError(
                SyntaxMistake.foreign("\(name)()", remedy),
                at: place,
                in: tokens.source,
                syntaxOffset: reached
            )
        }
        let remedy = FunctionNames.nearest(to: name).map { "; did you mean \($0)?" } ?? ""
        return QueryError(
            "unknown function \(name.prefix(64))\(remedy)",
            at: place,
            in: tokens.source,
            syntaxOffset: reached
        )
    }
}
