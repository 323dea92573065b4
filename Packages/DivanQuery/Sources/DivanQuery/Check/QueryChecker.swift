import DivanJSON

extension QueryStatement {
    /// Resolves all names and checks the statement.
    ///
    /// - Parameters:
    ///   - catalogue: The database to check against.
    ///   - text: The SQL++ source text, for the positions in errors.
    ///   - limits: The limits to enforce.
    /// - Returns: The statement for an executor to run.
    /// - Throws: `QueryError`; the errors of the catalogue.
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
    /// Resolves all names in an expression on one collection, such as an index key.
    ///
    /// Aggregates, parameters, subqueries and full-text conditions are not allowed.
    ///
    /// - Parameters:
    ///   - collection: The collection.
    ///   - itemPaths: For an index of items, the paths that lead to them, each from an item of the
    ///     previous one; properties are then those of the items, whose source number is the number of paths.
    ///   - text: The SQL++ source text, for the positions in errors.
    ///   - limits: The limits to enforce.
    /// - Returns: The expression for an index.
    /// - Throws: `QueryError`; the errors of the catalogue.
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
                throw QueryError("an index cannot use parameters", at: place)
            }
            return expression
        } catch let error as QueryError {
            throw error.located(in: text)
        }
    }
}

extension QueryExpression {
    /// Checks an index key; a `COLLATE` around it is the key's collation.
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

/// The counters that run through a statement and its sub-queries.
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
                "a query can have at most \(limit) expressions; compare a property with many"
                    + " constants using one IN list, or split the query",
                at: expression.place
            )
        }
    }

    mutating func makeVariable() -> Int {
        defer { variableCount += 1 }
        return variableCount
    }
}
