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
    /// - Throws: `QueryError`; whatever the catalogue throws.
    public func checked(
        over collection: QueryCollection,
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
                    title: collection.name
                )
            )
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

/// What is numbered through a statement and its sub-queries.
struct CheckNumbers {
    private(set) var parameters: [ExactText] = []
    private(set) var variableCount = 0
    private var seen: Set<ExactText> = []

    mutating func use(parameter: ExactText) {
        if seen.insert(parameter).inserted { parameters.append(parameter) }
    }

    mutating func makeVariable() -> Int {
        defer { variableCount += 1 }
        return variableCount
    }
}
