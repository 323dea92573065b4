import DivanJSON

/// Checks one statement: first its sources, which define names, then everything that uses them.
struct StatementChecker {
    let catalogue: any QueryCatalogue
    let limits: QueryLimits
    /// Levels of sub-queries and expressions around this one.
    var depth = 0

    mutating func check(
        _ statement: QueryStatement,
        _ numbers: inout CheckNumbers
    ) throws -> CheckedStatement {
        var checker = ExpressionChecker(
            names: CheckedNames(),
            limits: limits,
            catalogue: catalogue
        )
        checker.depth = depth
        var sources: [CheckedSource] = []
        for source in try written(statement) {
            sources.append(try check(source, main: sources.first, &checker, &numbers))
        }
        checker.names.mustNameSources = false
        if let filter = statement.filter {
            try checker.matches.gather(filter, checker.names.scope, catalogue)
        }
        try bound(statement)
        let columns = try checkColumns(statement.columns, &checker, &numbers)
        let hasGroups = checker.aggregateCount > 0 || !statement.groups.isEmpty
        var result = CheckedStatement(
            columns: columns,
            isDistinct: statement.isDistinct,
            sources: sources
        )
        checker.clause = .filter
        result.filter = try statement.filter.map { try checker.filter($0, &numbers) }
        try checker.matches.checkTexts(columns)
        checker.clause = .group
        result.groups = try statement.groups.map { try checker.key($0, &numbers) }
        guard statement.groupFilter == nil || !statement.groups.isEmpty else {
            throw QueryError("HAVING requires GROUP BY; use WHERE for conditions on documents")
        }
        checker.clause = .result
        result.groupFilter = try statement.groupFilter.map { try checker.check($0, &numbers) }
        result.orderings = try statement.orderings.map {
            try ordering($0, hasGroups: hasGroups, &checker, &numbers)
        }
        checker.clause = .count
        result.limit = try statement.limit.map { try count($0, "LIMIT", &checker, &numbers) }
        result.offset = try statement.offset.map { try count($0, "OFFSET", &checker, &numbers) }
        result.isAggregate = checker.aggregateCount > 0 || !result.groups.isEmpty
        for source in checker.names.sourcesShowingDeleted {
            result.sources[source].includesDeleted = true
        }
        try addSearches(of: checker, to: &result)
        return result
    }

    /// Adds the searches in indexes that were gathered while the expressions were checked.
    private func addSearches(
        of checker: ExpressionChecker,
        to statement: inout CheckedStatement
    ) throws {
        statement.matches = checker.matches.matches
        statement.vectorSearches = checker.searches.all
        try statement.planVectorSearches()
    }

    private func ordering(
        _ ordering: QueryOrdering,
        hasGroups: Bool,
        _ checker: inout ExpressionChecker,
        _ numbers: inout CheckNumbers
    ) throws -> CheckedOrdering {
        let before = checker.aggregateCount
        let key = try checker.key(ordering.expression, &numbers)
        guard hasGroups || checker.aggregateCount == before else {
            throw QueryError(
                "an aggregate in ORDER BY requires GROUP BY or an aggregate column",
                at: ordering.expression.place
            )
        }
        return CheckedOrdering(key, isDescending: ordering.isDescending)
    }

    private func bound(_ statement: QueryStatement) throws(QueryError) {
        for (count, name) in [
            (statement.columns.count, "columns"), (statement.groups.count, "GROUP BY keys"),
            (statement.orderings.count, "ORDER BY keys"),
        ] where count > limits.columnCount {
            throw QueryError("\(count) \(name) exceed the limit of \(limits.columnCount)")
        }
    }

    private func written(_ statement: QueryStatement) throws(QueryError) -> [QuerySource] {
        if statement.sources.isEmpty {
            return [QuerySource(.collection(scope: nil, name: "_"), alias: "_doc")]
        }
        guard statement.sources.count <= limits.sourceCount else {
            throw QueryError("a query can have at most \(limits.sourceCount) sources")
        }
        return statement.sources
    }

    private func check(
        _ source: QuerySource,
        main: CheckedSource?,
        _ checker: inout ExpressionChecker,
        _ numbers: inout CheckNumbers
    ) throws -> CheckedSource {
        do {
            switch source.form {
            case .items(let items): return try unnest(items, source, &checker, &numbers)
            case .collection(let scope, let name):
                return try collection(
                    CollectionNames(catalogue: catalogue).collection(scope: scope, name: name),
                    source,
                    written: [scope, name].compactMap { $0 },
                    &checker,
                    &numbers
                )
            case .mainCollection:
                guard case .documents(let collection) = main?.form else {
                    throw QueryError("missing AS and COLLECTION in FROM item")
                }
                return try self.collection(
                    collection,
                    source,
                    written: [collection.name],
                    &checker,
                    &numbers
                )
            }
        } catch let error as QueryError where error.offset == nil {
            throw QueryError(error.problem, code: error.code, at: source.place)
        }
    }

    private func collection(
        _ collection: QueryCollection,
        _ source: QuerySource,
        written: [ExactText],
        _ checker: inout ExpressionChecker,
        _ numbers: inout CheckNumbers
    ) throws -> CheckedSource {
        let form = CheckedSource.Form.documents(collection)
        let short = written.suffix(1)
        try checker.names.add(
            QueryScope.Source(
                form: form,
                alias: source.alias,
                names: source.alias.map { [[$0]] }
                    ?? (written.count == 1 ? [written] : [written, Array(short)]),
                otherNames: source.alias.map(QueryScope.spelledNames)
                    ?? QueryScope.fullNames(of: collection),
                title: source.alias ?? written[written.count - 1]
            )
        )
        switch source.join {
        case nil, .cross:
            guard source.condition == nil else {
                throw QueryError("CROSS JOIN cannot accept an ON clause; write JOIN")
            }
            return CheckedSource(form, join: source.join)
        case .inner, .leftOuter:
            guard let condition = source.condition else {
                throw QueryError("missing ON for JOIN; add the join condition")
            }
            checker.clause = .join
            return CheckedSource(
                form,
                join: source.join,
                on: try checker.check(condition, &numbers)
            )
        }
    }

    private func unnest(
        _ items: QueryExpression,
        _ source: QuerySource,
        _ checker: inout ExpressionChecker,
        _ numbers: inout CheckNumbers
    ) throws -> CheckedSource {
        checker.clause = .join
        checker.names.mustNameSources = true
        guard case .property(let written) = items.form,
            case .property(let number, let path) = try checker.check(items, &numbers)
        else {
            throw QueryError(
                "the use of a general expression as the object of UNNEST is not supported; only"
                    + " a property path is allowed.",
                at: items.place
            )
        }
        let form = CheckedSource.Form.items(source: number, path: path)
        // Without a name the items are named like the path below the source.
        let below = written.dropping(written.steps.count - path.steps.count)
        let name = source.alias ?? ExactText(below.sql)
        try checker.names.add(
            QueryScope.Source(
                form: form,
                alias: source.alias,
                names: [source.alias.map { [$0] } ?? below.keys],
                title: name
            )
        )
        return CheckedSource(form)
    }

    private func count(
        _ expression: QueryExpression,
        _ clause: String,
        _ checker: inout ExpressionChecker,
        _ numbers: inout CheckNumbers
    ) throws -> CheckedExpression {
        if case .literal(let literal) = expression.form {
            switch literal {
            case .integer: break
            case .double(let number) where number.magnitude >= 0x1p63:
                // An integer of more than 64 bits, more than there can be rows.
                return .literal(.integer(number < 0 ? 0 : .max))
            default: throw QueryError("\(clause) must be an integer", at: expression.place)
            }
        }
        return try checker.check(expression, &numbers)
    }

    private func checkColumns(
        _ columns: [QueryColumn],
        _ checker: inout ExpressionChecker,
        _ numbers: inout CheckNumbers
    ) throws -> [CheckedColumn] {
        let written =
            columns.isEmpty
            ? [
                QueryColumn(QueryExpression(.property("_id")), alias: "_id"),
                QueryColumn(QueryExpression(.property("_sequence")), alias: "_sequence"),
            ] : columns
        checker.clause = .columns
        var checked: [CheckedKey] = []
        for column in written {
            let before = checker.aggregateCount
            let value = try checker.key(column.expression, &numbers)
            checked.append(value)
            guard let alias = column.alias else { continue }
            do {
                try checker.names.add(
                    alias: alias,
                    column: checked.count - 1,
                    collation: value.collation,
                    hasAggregate: checker.aggregateCount > before
                )
            } catch let error as QueryError where error.offset == nil {
                throw QueryError(error.problem, at: column.expression.place)
            }
        }
        var titles = ColumnTitles(explicit: written.compactMap(\.alias))
        return zip(written, checked).map { column, value in
            let expression = value.expression
            let title =
                column.alias
                ?? titles.title(of: column.expression.form, expression, checker.names.scope)
            return CheckedColumn(title: title, expression, collation: value.collation)
        }
    }
}
