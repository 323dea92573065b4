import DivanJSON

/// Operators by precedence climbing: there are few calls between one parenthesis and the next, so that
/// deep texts need little stack, and operators of equal rank become one node.
extension SQLParser {
    /// Reads a whole expression, `COLLATE` included.
    mutating func expression() throws(QueryError) -> Parsed {
        try enter()
        defer { leave() }
        let parsed = try operation(.or)
        guard tokens.take(.collate) else { return parsed }
        let change = try collation()
        return try node(
            .collated(parsed.expression, change),
            at: parsed.expression.place ?? tokens.place,
            over: parsed.height
        )
    }

    /// Reads operands and the operators between them that bind as tightly as `floor` or tighter.
    private mutating func operation(_ floor: SQLPrecedence) throws(QueryError) -> Parsed {
        let place = tokens.place
        var left = try dotted()
        var ceiling = SQLPrecedence.joined
        while let rank = tokens.current.form.rank, rank >= floor, rank <= ceiling {
            ceiling = rank
            switch rank {
            case .or, .and, .joined: left = try chain(left, rank, at: place)
            case .sum, .product: left = try calculation(left, rank, at: place)
            case .bits:
                throw QueryError(
                    unknownOperator(),
                    at: tokens.place,
                    in: tokens.source
                )
            case .compare, .equality:
                left = try comparison(left, rank, at: place)
            case .test:
                guard let test = try valueTest(of: left, at: place) else { return left }
                left = test
                // No operator of its own rank may follow.
                ceiling = .and
            }
        }
        return left
    }

    /// The problem with a bitwise operator.
    private mutating func unknownOperator() -> String {
        let sign = tokens.text(tokens.current)
        if sign == "&", tokens.peek().form == .mark(.bitwiseAnd) {
            return "Unknown operator '&&'; write AND"
        }
        return
            "Unknown operator '\(sign)'; there are no bitwise operators; combine conditions with"
            + " AND or OR"
    }

    /// Reads operands between equal operators into one node, however many they are.
    private mutating func chain(
        _ first: Parsed,
        _ rank: SQLPrecedence,
        at place: QueryPosition
    ) throws(QueryError) -> Parsed {
        var operands = [first.expression]
        var height = first.height
        while tokens.current.form.rank == rank {
            tokens.advance()
            let next = try rank == .joined ? dotted() : operation(rank == .or ? .and : .test)
            operands.append(next.expression)
            height = max(height, next.height)
        }
        switch rank {
        case .or: return try node(.or(operands), at: place, over: height)
        case .and: return try node(.and(operands), at: place, over: height)
        default: return try node(.concatenation(operands), at: place, over: height)
        }
    }

    /// Reads sums or products into one node, however long they are.
    private mutating func calculation(
        _ first: Parsed,
        _ rank: SQLPrecedence,
        at place: QueryPosition
    ) throws(QueryError) -> Parsed {
        var (start, links) = (first.expression, [QueryExpression.Link]())
        // `(a + b) + c` is `a + b + c`.
        if case .arithmetic(let inner, let earlier) = start.form,
            earlier.allSatisfy({ $0.arithmetic.isSum == (rank == .sum) })
        {
            (start, links) = (inner, earlier)
        }
        var height = first.height
        var changes = 0
        while tokens.current.form.rank == rank, let arithmetic = tokens.current.form.arithmetic {
            tokens.advance()
            let next = try rank == .sum ? operation(.product) : operation(.joined)
            // Equal operators are one level of the JSON form, each change adds one.
            if let last = links.last, last.arithmetic != arithmetic { changes += 1 }
            links.append(QueryExpression.Link(arithmetic, next.expression))
            height = max(height, next.height)
        }
        return try node(.arithmetic(start, links), at: place, over: height + changes)
    }

    /// Reads one comparison; in a chain, each one compares the result of the previous.
    private mutating func comparison(
        _ left: Parsed,
        _ rank: SQLPrecedence,
        at place: QueryPosition
    ) throws(QueryError) -> Parsed {
        guard var comparison = tokens.current.form.comparison else {
            throw tokens.unexpected("an operator")
        }
        tokens.advance()
        if comparison == .same, tokens.take(.not) { comparison = .notSame }
        if comparison == .same || comparison == .notSame, tokens.take(.valued) {
            let test = try node(.isValued(left.expression), at: place, over: left.height)
            if comparison == .same { return test }
            return try node(.not(test.expression), at: place, over: test.height)
        }
        let right = try operation(rank == .equality ? .compare : .bits)
        return try node(
            .comparison(comparison, left.expression, right.expression),
            at: place,
            over: left.height,
            right.height
        )
    }

    /// Reads `NOT NULL`, `IN`, `LIKE`, `BETWEEN` and the like after an operand.
    private mutating func valueTest(
        of left: Parsed,
        at place: QueryPosition
    ) throws(QueryError) -> Parsed? {
        let isNegated = tokens.take(.not)
        if isNegated, tokens.take(.null) {
            return try node(
                .comparison(.notSame, left.expression, QueryExpression(.literal(.null))),
                at: place,
                over: left.height,
                1
            )
        }
        if tokens.take(.in) {
            let set = try membership()
            return try node(
                .isIn(left.expression, set.expression, isNegated: isNegated),
                at: place,
                over: left.height,
                set.height
            )
        }
        let test: Parsed
        if tokens.take(.like) {
            let pattern = try operation(.compare)
            test = try node(
                .like(left.expression, pattern.expression),
                at: place,
                over: left.height,
                pattern.height
            )
        } else if tokens.take(.between) {
            let low = try operation(.compare)
            try tokens.expect(.and)
            let high = try operation(.compare)
            test = try node(
                .between(left.expression, low.expression, high.expression),
                at: place,
                over: left.height,
                low.height,
                high.height
            )
        } else {
            throw tokens.unexpected("IN, LIKE, BETWEEN or NULL")
        }
        guard isNegated else { return test }
        return try node(.not(test.expression), at: place, over: test.height)
    }

    /// Reads what follows `IN`: a list in parentheses, or one operand.
    private mutating func membership() throws(QueryError) -> Parsed {
        let place = tokens.place
        guard tokens.isAt(.openParenthesis) else { return try operation(.compare) }
        if tokens.peek().form == .keyword(.select) { throw try selectInList() }
        tokens.advance()
        let list = try expressions(until: .closeParenthesis)
        return try node(.array(list.items), at: place, over: list.height)
    }

    private mutating func selectInList() throws(QueryError) -> QueryError {
        tokens.advance()
        let place = tokens.place
        try enter()
        defer { leave() }
        _ = try select()
        try tokens.expect(.closeParenthesis)
        return QueryError(
            SyntaxMistake.innerQuery,
            at: place,
            in: tokens.source,
            syntaxOffset: tokens.current.range.lowerBound
        )
    }

    private mutating func dotted() throws(QueryError) -> Parsed {
        let place = tokens.place
        let whole = try primary()
        guard tokens.take(.dot) else { return whole }
        let path = try path()
        return try node(.member(of: whole.expression, path), at: place, over: whole.height)
    }
}
