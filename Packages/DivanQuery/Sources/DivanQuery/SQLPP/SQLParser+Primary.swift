import DivanJSON

extension SQLParser {
    /// Reads one operand: the tightest binding.
    mutating func primary() throws(QueryError) -> Parsed {
        let place = tokens.place
        switch tokens.current.form {
        case .integer, .double: return try number(isNegative: false, at: place)
        case .string(let text):
            tokens.advance()
            return try node(.literal(.string(text)), at: place)
        case .mark(let mark): return try marked(mark, at: place)
        case .keyword(let keyword): return try keyworded(keyword, at: place)
        case .word where tokens.peek().form == .mark(.openParenthesis): return try function()
        case .word where tokens.isAt(word: "SOME") && beginsQuantifier():
            return try quantified(at: place)
        case .word, .quotedName: return try property(at: place)
        case .end, .flaw: throw tokens.unexpected("an expression")
        }
    }

    private mutating func deeperPrimary() throws(QueryError) -> Parsed {
        try enter()
        defer { leave() }
        return try primary()
    }

    private mutating func beginsQuantifier() -> Bool {
        switch tokens.peek().form {
        case .word, .quotedName, .keyword(.and): true
        default: false
        }
    }

    private mutating func marked(
        _ mark: SQLPunctuation,
        at place: QueryPosition
    ) throws(QueryError) -> Parsed {
        switch mark {
        case .minus where tokens.isBeforeNumber:
            tokens.advance()
            return try number(isNegative: true, at: place)
        case .minus, .plus:
            tokens.advance()
            let operand = try deeperPrimary()
            let form: QueryExpression.Form =
                mark == .minus ? .negative(operand.expression) : .positive(operand.expression)
            return try node(form, at: place, over: operand.height)
        case .times:
            tokens.advance()
            return try node(.everything(of: QueryPath()), at: place)
        case .dollar:
            tokens.advance()
            return try node(.parameter(try parameterName()), at: place)
        case .openParenthesis:
            tokens.advance()
            let inner = try expression()
            try tokens.expect(.closeParenthesis)
            return inner
        case .openBracket:
            tokens.advance()
            let items = try expressions(until: .closeBracket)
            return try node(.array(items.items), at: place, over: items.height)
        case .openBrace:
            tokens.advance()
            return try object(at: place)
        default:
            throw tokens.unexpected("an expression")
        }
    }

    /// A parameter's name may be a reserved word: nothing else can follow `$`.
    private mutating func parameterName() throws(QueryError) -> ExactText {
        if case .keyword = tokens.current.form {
            let name = ExactText(tokens.text(tokens.current))
            tokens.advance()
            return name
        }
        return try tokens.expectName("a parameter name")
    }

    private mutating func keyworded(
        _ keyword: SQLKeyword,
        at place: QueryPosition
    ) throws(QueryError) -> Parsed {
        let literals: [SQLKeyword: QueryLiteral] = [
            .true: .boolean(true), .false: .boolean(false), .null: .null, .missing: .missing,
        ]
        if let literal = literals[keyword] {
            tokens.advance()
            return try node(.literal(literal), at: place)
        }
        switch keyword {
        case .not:
            tokens.advance()
            let operand = try deeperPrimary()
            return try node(.not(operand.expression), at: place, over: operand.height)
        case .case:
            tokens.advance()
            return try choice(at: place)
        case .any, .every:
            return try quantified(at: place)
        default:
            throw tokens.unexpected("an expression")
        }
    }

    private mutating func number(
        isNegative: Bool,
        at place: QueryPosition
    ) throws(QueryError) -> Parsed {
        let text = (isNegative ? "-" : "") + tokens.text(tokens.current)
        switch tokens.current.form {
        case .integer:
            guard let literal = QueryLiteral(digits: text) else {
                throw tokens.syntaxError(QueryLiteral.exceedsNumbers)
            }
            tokens.advance()
            return try node(.literal(literal), at: place)
        case .double:
            // Swift reads `5.` and `.5` only with the missing digit added.
            let padded = text.replacing(".e", with: ".0e").replacing(".E", with: ".0E")
            guard let value = Double(padded.hasSuffix(".") ? padded + "0" : padded),
                value.isFinite
            else { throw tokens.syntaxError("the number exceeds a double") }
            tokens.advance()
            return try node(.literal(.double(value)), at: place)
        default:
            throw tokens.unexpected("a number")
        }
    }

    private mutating func object(at place: QueryPosition) throws(QueryError) -> Parsed {
        if tokens.take(.closeBrace) { return try node(.object([]), at: place) }
        var height = 0
        let members = try list { parser throws(QueryError) in
            guard case .string(let key) = parser.tokens.current.form else {
                throw parser.tokens.unexpected("a quoted key")
            }
            parser.tokens.advance()
            try parser.tokens.expect(.colon)
            let value = try parser.expression()
            height = max(height, value.height)
            return QueryExpression.Member(ExactText(key), value.expression)
        }
        guard tokens.take(.closeBrace) else { throw tokens.unexpected("',' or '}'") }
        return try node(.object(members), at: place, over: height)
    }

    private mutating func choice(at place: QueryPosition) throws(QueryError) -> Parsed {
        var height = 0
        func part(_ parser: inout SQLParser) throws(QueryError) -> QueryExpression {
            let parsed = try parser.expression()
            height = max(height, parsed.height)
            return parsed.expression
        }
        var subject = tokens.isAt(.when) ? nil : try part(&self)
        // A test of NULL is treated as none.
        if subject?.form == .literal(.null) { subject = nil }
        var branches: [QueryExpression.Branch] = []
        repeat {
            try tokens.expect(.when)
            let when = try part(&self)
            try tokens.expect(.then)
            branches.append(QueryExpression.Branch(when: when, then: try part(&self)))
        } while tokens.isAt(.when)
        let otherwise = tokens.take(.else) ? try part(&self) : nil
        guard tokens.take(.end) else { throw tokens.unexpected("WHEN, ELSE or END") }
        return try node(.choice(subject, branches, otherwise: otherwise), at: place, over: height)
    }

    private mutating func quantified(at place: QueryPosition) throws(QueryError) -> Parsed {
        var quantifier = tokens.isAt(.every) ? QueryQuantifier.every : .any
        tokens.advance()
        if quantifier == .any, tokens.take(.and) {
            try tokens.expect(.every)
            quantifier = .anyAndEvery
        }
        let variable = try tokens.expectName("a variable name")
        try tokens.expect(.in)
        let items = try expression()
        try tokens.expect(.satisfies)
        variables.append(variable)
        defer { variables.removeLast() }
        let condition = try expression()
        guard tokens.take(.end) else { throw tokens.unexpected("END") }
        return try node(
            .quantified(
                quantifier,
                variable: variable,
                in: items.expression,
                satisfies: condition.expression
            ),
            at: place,
            over: items.height,
            condition.height
        )
    }

    /// Reads `name.name[0]` and `name.*`.
    private mutating func property(at place: QueryPosition) throws(QueryError) -> Parsed {
        let (path, endsInStar) = try pathOrBody()
        if endsInStar { return try node(.everything(of: path), at: place) }
        if case .key(let first) = path.steps.first, variables.contains(first) {
            return try node(.variable(path), at: place)
        }
        return try node(.property(path), at: place)
    }

    /// Reads `name { "." name | "[" integer "]" }`.
    mutating func path() throws(QueryError) -> QueryPath {
        let (path, endsInStar) = try pathOrBody()
        if endsInStar { throw tokens.unexpected("a name instead of *") }
        return path
    }

    /// Reads a path, with or without `.*` at its end.
    private mutating func pathOrBody() throws(QueryError) -> (QueryPath, endsInStar: Bool) {
        var steps = [QueryPath.Step.key(try tokens.expectName())]
        while true {
            if tokens.take(.dot) {
                if tokens.take(.times) { return (QueryPath(steps), true) }
                steps.append(.key(try tokens.expectName()))
            } else if tokens.isAt(.openBracket) {
                tokens.advance()
                let isNegative = tokens.take(.minus)
                guard tokens.current.form == .integer,
                    let item = Int((isNegative ? "-" : "") + tokens.text(tokens.current))
                else { throw tokens.unexpected("an array index, such as 0 or -1") }
                tokens.advance()
                try tokens.expect(.closeBracket)
                steps.append(.item(item))
            } else {
                return (QueryPath(steps), false)
            }
        }
    }
}
