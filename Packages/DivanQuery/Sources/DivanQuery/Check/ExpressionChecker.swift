import DivanJSON

/// Checks expressions: counts arguments, expands short forms, passes collations down.
struct ExpressionChecker {
    /// The names that are known so far.
    var names: CheckedNames
    let limits: QueryLimits
    /// The full-text conditions of the statement.
    var matches: FullTextMatches
    /// The vector searches of the statement.
    var searches = VectorSearches()
    /// Whether an `OR` contains the expression.
    private(set) var isInAlternative = false
    /// The database, if sub-queries are allowed.
    let catalogue: (any QueryCatalogue)?
    /// The clause that contains the expression.
    var clause = QueryClause.columns
    /// Levels around the expression.
    var depth = 0
    /// How many aggregates were found.
    private(set) var aggregateCount = 0
    private var collation = QueryCollation.binary
    private var isInAggregate = false
    private var isQuantified = false

    init(
        names: CheckedNames,
        limits: QueryLimits,
        catalogue: (any QueryCatalogue)? = nil,
        matches: FullTextMatches = FullTextMatches()
    ) {
        self.names = names
        self.limits = limits
        self.catalogue = catalogue
        self.matches = matches
    }

    /// Checks an expression and everything below it.
    mutating func check(
        _ expression: QueryExpression,
        _ numbers: inout CheckNumbers
    ) throws -> CheckedExpression {
        guard depth < limits.depth else {
            throw QueryError(
                "expressions are nested deeper than \(limits.depth); simplify them",
                at: expression.place
            )
        }
        try numbers.count(expression, limit: limits.expressionCount)
        depth += 1
        defer { depth -= 1 }
        do {
            return try check(expression.form, &numbers)
        } catch let error as QueryError where error.offset == nil {
            throw QueryError(error.problem, code: error.code, at: expression.place)
        }
    }

    /// Checks a key that rows are grouped or sorted by; `COLLATE` around it is the key's collation.
    mutating func key(
        _ expression: QueryExpression,
        _ numbers: inout CheckNumbers
    ) throws -> CheckedKey {
        CheckedKey(try check(expression, &numbers), collation: collated(expression))
    }

    /// The collation of an expression by itself: from `COLLATE`, or from the column of its alias.
    private func collated(_ expression: QueryExpression) -> QueryCollation {
        guard case .collated(let inner, let change) = expression.form else {
            return names.collation(of: expression.form, in: clause) ?? .binary
        }
        return change.applied(to: collated(inner))
    }

    /// Checks `WHERE`, which may have full-text conditions at its top level.
    mutating func filter(
        _ expression: QueryExpression,
        _ numbers: inout CheckNumbers
    ) throws -> CheckedExpression {
        switch expression.form {
        case .match(_, let text):
            let number = matches.nextNumber()
            matches.set(try check(text, &numbers), at: number, from: text.place)
            return .match(number)
        case .and(let terms):
            return .and(try terms.map { try filter($0, &numbers) })
        default:
            return try check(expression, &numbers)
        }
    }

    private mutating func check(
        _ form: QueryExpression.Form,
        _ numbers: inout CheckNumbers
    ) throws -> CheckedExpression {
        switch form {
        case .literal(let literal): return .literal(literal)
        case .refused(let reason): throw QueryError(reason)
        case .parameter(let name):
            numbers.use(parameter: name)
            return .parameter(name)
        case .property, .everything, .variable, .metadata, .blob:
            return try names.meaning(of: form, in: clause, aggregateProblem: aggregateProblem)
        case .comparison, .isValued, .between, .isIn, .like, .hasValue:
            return try test(form, &numbers)
        case .quantified(let quantifier, let variable, let items, let condition):
            let outer = isQuantified
            defer { isQuantified = outer }
            isQuantified = true
            let items = try check(items, &numbers)
            let number = numbers.makeVariable()
            names.enter(variable, number: number)
            defer { names.leaveVariable() }
            return .quantified(
                quantifier,
                variable: number,
                in: items,
                satisfies: try check(condition, &numbers)
            )
        case .exists(let statement): return try exists(statement, &numbers)
        case .collated(let operand, let change):
            let outer = collation
            defer { collation = outer }
            collation = change.applied(to: outer)
            return try check(operand, &numbers)
        case .call(let function, let arguments):
            return try call(function, arguments, &numbers)
        case .aggregate(let aggregate, let argument, let isDistinct):
            return try self.aggregate(aggregate, argument, isDistinct: isDistinct, &numbers)
        case .vectorDistance(let arguments): return try vectorDistance(arguments, &numbers)
        case .prediction(let model, let input):
            return .prediction(model: model, try check(input, &numbers))
        case .match: throw clause.misplacedMatch
        case .rank(let index):
            if clause == .count { throw CheckedNames.rowInCount }
            return .rank(try matches.number(of: index, names.scope))
        default: return try compose(form, &numbers)
        }
    }

    /// Checks an expression that builds a value from others.
    private mutating func compose(
        _ form: QueryExpression.Form,
        _ numbers: inout CheckNumbers
    ) throws -> CheckedExpression {
        switch form {
        case .member(let whole, let path): return try member(check(whole, &numbers), path)
        case .array(let items): return .array(try all(items, &numbers))
        case .object(let members):
            return .object(
                try members.map {
                    CheckedExpression.Member($0.key, try check($0.value, &numbers))
                }
            )
        case .not(let operand): return .not(try check(operand, &numbers))
        case .negative(let operand): return .negative(try check(operand, &numbers))
        case .positive(let operand): return try check(operand, &numbers)
        case .and(let terms): return .and(try all(terms, &numbers))
        case .or(let terms):
            let outer = isInAlternative
            defer { isInAlternative = outer }
            isInAlternative = true
            return .or(try all(terms, &numbers))
        case .concatenation(let parts): return .concatenation(try all(parts, &numbers))
        case .arithmetic(let first, let links):
            return .arithmetic(
                try check(first, &numbers),
                try links.map {
                    CheckedExpression.Link($0.arithmetic, try check($0.operand, &numbers))
                }
            )
        case .choice(let subject, let branches, let otherwise):
            return .choice(
                try subject.map { try check($0, &numbers) },
                try branches.map {
                    CheckedExpression.Branch(
                        when: try check($0.when, &numbers),
                        then: try check($0.then, &numbers)
                    )
                },
                otherwise: try otherwise.map { try check($0, &numbers) },
                collation(of: [subject].compactMap(\.self))
            )
        default: throw QueryError("invalid expression")
        }
    }

    private mutating func all(
        _ expressions: [QueryExpression],
        _ numbers: inout CheckNumbers
    ) throws -> [CheckedExpression] {
        try expressions.map { try check($0, &numbers) }
    }

    /// Checks an expression that compares values.
    private mutating func test(
        _ form: QueryExpression.Form,
        _ numbers: inout CheckNumbers
    ) throws -> CheckedExpression {
        switch form {
        case .comparison(let comparison, let left, let right):
            return try self.comparison(comparison, left, right, &numbers)
        case .isValued(let operand): return .isValued(try check(operand, &numbers))
        case .hasValue(let operand): return .not(.isMissing(try check(operand, &numbers)))
        case .between(let value, let low, let high):
            return .between(
                try check(value, &numbers),
                try check(low, &numbers),
                try check(high, &numbers),
                collation(of: [value, low, high])
            )
        case .isIn(let value, let set, let isNegated):
            let collation = collation(of: [value, set])
            let value = try check(value, &numbers)
            let test: CheckedExpression =
                if case .array(let items) = set.form {
                    .isOneOf(value, try items.map { try item($0, &numbers) }, collation)
                } else {
                    .isItem(value, of: try check(set, &numbers), collation)
                }
            return isNegated ? .not(test) : test
        case .like(let value, let pattern):
            return .like(
                try check(value, &numbers),
                try check(pattern, &numbers),
                collation(of: [value, pattern])
            )
        default: return try compose(form, &numbers)
        }
    }

    /// Checks an item of a list after `IN`; constants there are not counted.
    private mutating func item(
        _ item: QueryExpression,
        _ numbers: inout CheckNumbers
    ) throws -> CheckedExpression {
        if case .literal(let literal) = item.form {
            .literal(literal)
        } else {
            try check(item, &numbers)
        }
    }

    private mutating func comparison(
        _ comparison: QueryComparison,
        _ left: QueryExpression,
        _ right: QueryExpression,
        _ numbers: inout CheckNumbers
    ) throws -> CheckedExpression {
        // Each side once: `a IS b IS c …` nests to the left, and twice per level would take exponential time.
        let (first, second) = (try check(left, &numbers), try check(right, &numbers))
        switch (comparison, identity(first, second)) {
        case (.same, let test?): return test
        case (.notSame, let test?): return .not(test)
        default: return .comparison(comparison, first, second, collation(of: [left, right]))
        }
    }

    /// How operands are compared: by the `COLLATE` around the first operand that has one, as in SQL;
    /// so `property.collate(…).equalTo(…)` works as expected.
    ///
    /// The alias of a column with a `COLLATE` stands for the column, including its `COLLATE`.
    private func collation(of operands: [QueryExpression]) -> QueryCollation {
        for operand in operands {
            if case .collated(_, let change) = operand.form {
                return change.applied(to: collation)
            }
            if let own = names.collation(of: operand.form, in: clause) { return own }
        }
        return collation
    }

    /// `IS NULL` and `IS MISSING` as tests of their own; `nil` for other operands.
    private func identity(
        _ left: CheckedExpression,
        _ right: CheckedExpression
    ) -> CheckedExpression? {
        switch right {
        case .literal(.null): .isNull(left)
        case .literal(.missing): .isMissing(left)
        default: nil
        }
    }

    private func member(
        _ whole: CheckedExpression,
        _ path: QueryPath
    ) throws -> CheckedExpression {
        switch whole {
        case .property(let source, let above):
            return .property(source: source, QueryPath(above.steps + path.steps))
        case .variable(let number, let above):
            return .variable(number, QueryPath(above.steps + path.steps))
        case .column(let number, let above):
            return .column(number, QueryPath(above.steps + path.steps))
        case .metadata: throw CheckedNames.belowMetadata
        default: return .member(of: whole, path)
        }
    }

    private mutating func exists(
        _ statement: QueryStatement,
        _ numbers: inout CheckNumbers
    ) throws -> CheckedExpression {
        guard let catalogue else { throw QueryError("an index cannot depend on other documents") }
        var checker = StatementChecker(catalogue: catalogue, limits: limits)
        checker.depth = depth
        return .exists(try checker.check(statement, &numbers))
    }

    private mutating func call(
        _ function: QueryFunction,
        _ arguments: [QueryExpression],
        _ numbers: inout CheckNumbers
    ) throws -> CheckedExpression {
        guard function.argumentCounts.contains(arguments.count) else {
            throw QueryError(
                "Wrong number of arguments to \(function.rawValue)(): it takes"
                    + " \(function.argumentText), not \(arguments.count)"
            )
        }
        let checked = try all(arguments, &numbers)
        switch function {
        case .arrayOf: return .array(checked)
        case .concat: return .concatenation(checked)
        case .contains: return .call(function, checked, collation(of: arguments))
        default: return .call(function, checked, collation)
        }
    }

    private mutating func aggregate(
        _ aggregate: QueryAggregate,
        _ argument: QueryExpression?,
        isDistinct: Bool,
        _ numbers: inout CheckNumbers
    ) throws -> CheckedExpression {
        if let aggregateProblem {
            throw QueryError("\(aggregate.rawValue)() \(aggregateProblem)")
        }
        aggregateCount += 1
        isInAggregate = true
        defer { isInAggregate = false }
        let collation = collation(of: [argument].compactMap(\.self))
        let operand = try argument.map { try check($0, &numbers) }
        if aggregate == .count, !isDistinct, case .everything? = argument?.form, let operand {
            return .aggregate(aggregate, counted(operand), collation)
        }
        return .aggregate(aggregate, operand, collation, isDistinct: isDistinct)
    }

    /// What to count instead of the body of a document: its sequence, which is there whenever the body is.
    ///
    /// `nil` for the first source, whose documents are in each row.
    private func counted(_ body: CheckedExpression) -> CheckedExpression? {
        guard case .property(let source, let path) = body, path.isEmpty,
            case .documents = names.scope.sources[source].form
        else { return body }
        return source == 0 ? nil : .metadata(source: source, .sequence)
    }

    /// Why an aggregate is not allowed here; `nil` where it is.
    private var aggregateProblem: String? {
        if let problem = clause.aggregateProblem {
            problem
        } else if isInAggregate {
            "is not allowed inside another aggregate"
        } else if isQuantified {
            // Items are rows of their own inside.
            "is not allowed inside ANY or EVERY; compare it outside"
        } else {
            nil
        }
    }
}

extension QueryFunction {
    fileprivate var argumentText: String {
        let counts = argumentCounts
        if counts.upperBound == QueryLimits.standard.argumentCount {
            return "\(counts.lowerBound) to \(counts.upperBound)"
        }
        if counts.count == 1 { return "\(counts.lowerBound)" }
        return "\(counts.lowerBound) or \(counts.upperBound)"
    }
}
