public import DivanQuery

extension CheckedStatement {
    /// The collections that it and its subqueries read.
    public var everyCollection: [QueryCollection] {
        var found: [QueryCollection] = []
        for source in sources {
            if case .documents(let collection) = source.form { found.append(collection) }
        }
        var rest = everyExpression
        while let expression = rest.popLast() {
            if case .exists(let statement) = expression { found += statement.everyCollection }
            rest += expression.children
        }
        return found
    }

    private var everyExpression: [CheckedExpression] {
        let parts: [[CheckedExpression]] = [
            columns.map(\.expression), sources.compactMap(\.condition), [filter].compactMap(\.self),
            groups.map(\.expression), [groupFilter, limit, offset].compactMap(\.self),
            orderings.map(\.key.expression), matches.map(\.text), vectorSearches.map(\.target),
        ]
        return Array(parts.joined())
    }
}
