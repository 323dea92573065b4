import DivanJSON

extension QueryStatement {
    /// Looks up every name and checks what the statement means.
    ///
    /// - Parameters:
    ///   - catalogue: The database that it is about.
    ///   - text: The SQL++ text that it was read from, for the places in errors.
    ///   - limits: Bounds of its depth.
    /// - Returns: The statement that an executor runs.
    /// - Throws: `QueryError`; whatever the catalogue throws.
    public func checked(
        against catalogue: any QueryCatalogue,
        text: String? = nil,
        limits: QueryLimits = .standard
    ) throws -> CheckedStatement {
        do {
            var numbers = CheckNumbers()
            var checker = StatementChecker(catalogue: catalogue, limits: limits)
            var statement = try checker.check(self, &numbers)
            statement.parameters = numbers.parameters
            return statement
        } catch let error as QueryError {
            throw error.located(in: text)
        }
    }
}

extension QueryExpression {
    /// Looks up every name of an expression over one collection, such as an index is made of.
    ///
    /// Aggregates, parameters, sub-queries and full-text conditions have no place in it.
    ///
    /// - Parameters:
    ///   - collection: The collection.
    ///   - itemPaths: For an index of items, the paths that lead to them, each from an item of the
    ///     one before; properties are then those of the items, of the source of that number.
    ///   - text: The SQL++ text that it was read from, for the places in errors.
    ///   - limits: Bounds of its depth.
    /// - Returns: The expression that an index holds.
    /// - Throws: `QueryError`; whatever the catalogue throws.
    public func checked(
        over collection: QueryCollection,
        itemPaths: [QueryPath] = [],
        text: String? = nil,
        limits: QueryLimits = .standard
    ) throws -> CheckedExpression {
        do {
            var numbers = CheckNumbers()
            var names = CheckedNames()
            try names.add(
                QueryScope.Source(
                    form: .documents(collection),
                    alias: nil,
                    names: [[collection.scope, collection.name], [collection.name]],
                    otherNames: QueryScope.fullNames(of: collection),
                    title: collection.name
                )
            )
            for (number, path) in itemPaths.enumerated() {
                let form = CheckedSource.Form.items(source: number, path: path)
                try names.add(
                    QueryScope.Source(form: form, alias: nil, names: [], title: collection.name)
                )
            }
            names.mainSource = itemPaths.count
            var checker = ExpressionChecker(names: names, limits: limits)
            checker.clause = .index
            let expression = try checker.check(self, &numbers)
            guard numbers.parameters.isEmpty else {
                throw QueryError("an index cannot depend on a parameter", at: place)
            }
            return expression
        } catch let error as QueryError {
            throw error.located(in: text)
        }
    }
}

extension QueryExpression {
    /// Checks what an index is sorted by; `COLLATE` around it is the key's.
    ///
    /// - Throws: As `checked(over:itemPaths:text:limits:)`.
    public func checkedKey(
        over collection: QueryCollection,
        itemPaths: [QueryPath] = []
    ) throws -> CheckedKey {
        var collation = QueryCollation.binary
        var inner = self
        var changes: [QueryCollationChange] = []
        while case .collated(let operand, let change) = inner.form {
            changes.append(change)
            inner = operand
        }
        for change in changes { collation = change.applied(to: collation) }
        return CheckedKey(
            try checked(over: collection, itemPaths: itemPaths),
            collation: collation
        )
    }
}

/// What is numbered through a statement and its sub-queries.
struct CheckNumbers {
    private(set) var parameters: [ExactText] = []
    private(set) var variableCount = 0
    private var expressionCount = 0
    private var seen: Set<ExactText> = []

    mutating func use(parameter: ExactText) {
        if seen.insert(parameter).inserted { parameters.append(parameter) }
    }

    /// Counts an expression.
    ///
    /// - Throws: If there are more than `limit`.
    mutating func count(_ expression: QueryExpression, limit: Int) throws {
        expressionCount += 1
        guard expressionCount <= limit else {
            throw QueryError(
                "a query has at most \(limit) expressions; put constants that a property is"
                    + " compared with into one list behind IN, or ask in parts",
                at: expression.place
            )
        }
    }

    mutating func makeVariable() -> Int {
        defer { variableCount += 1 }
        return variableCount
    }
}
