internal import DivanJSON

/// A grouping that an index may have done already.
///
/// **Theory.** In an index that begins with the keys of the groups, equal rows stand together. That is
/// worth it where no document is read but the first of each group, whose exact values are shown: SQLite
/// takes keys, flags and sequences out of the index, and reads everything else in the documents, one by
/// one, wherever they lie. So apart from its keys the query may only count; anything else is faster
/// extracted from the documents in their order, and sorted.
struct SQLIndexedGrouping {
    /// What equal rows share, as an index has it.
    private let columns: Set<ExactText>
    /// What the conditions look at.
    private let filtered: Set<ExactText>

    /// The grouping of a statement, if no more than an index is needed for it.
    init?(of statement: CheckedStatement, by keys: [CheckedKey]) {
        guard statement.sources.count == 1, !statement.sources[0].includesDeleted,
            statement.matches.isEmpty
        else { return nil }
        let keys = keys.map { key in
            CheckedKey(statement.named(key.expression), collation: key.collation)
        }
        let columns = keys.compactMap(Self.column)
        guard !keys.isEmpty, columns.count == keys.count else { return nil }
        self.columns = Set(columns)
        let shown = Set(keys.map(\.expression))
        let rest =
            statement.columns.map(\.expression) + [statement.groupFilter].compactMap(\.self)
            + statement.orderings.map(\.key.expression)
        guard rest.allSatisfy({ Self.needs($0, only: shown) }) else { return nil }
        var filtered: Set<ExactText> = []
        for term in statement.filter?.terms ?? [] {
            guard let ranged = Self.ranged(term) else { return nil }
            let operand = statement.named(ranged)
            guard shown.contains(operand), let column = Self.column(CheckedKey(operand))
            else { return nil }
            filtered.insert(column)
        }
        self.filtered = filtered
    }

    /// Whether an index with these columns does it.
    func fits(_ index: [String]) -> Bool {
        let index = index.map { ExactText($0) }
        guard index.count >= columns.count, let first = index.first,
            Set(index.prefix(columns.count)) == columns
        else { return false }
        return filtered.isSubset(of: [first])
    }

    /// A key in an index; `nil` where it is more than an expression over a document.
    private static func column(_ key: CheckedKey) -> ExactText? {
        var rest = [key.expression]
        while let expression = rest.popLast() {
            if case .column = expression { return nil }
            rest += expression.children
        }
        return SQLIndexTranslation.column(key).map { ExactText($0) }
    }

    private static func needs(
        _ expression: CheckedExpression,
        only keys: Set<CheckedExpression>
    ) -> Bool {
        if keys.contains(expression) { return true }
        switch expression {
        case .aggregate(.count, nil, _): return true
        case .aggregate, .property, .metadata, .allMetadata, .variable, .blob, .rank, .match,
            .exists:
            return false
        default: return expression.children.allSatisfy { needs($0, only: keys) }
        }
    }

    /// What a condition keeps within constants, so that it is one piece of an index.
    private static func ranged(_ term: CheckedExpression) -> CheckedExpression? {
        switch term {
        case .comparison(let comparison, let left, let right, .binary):
            // Behind an equality SQLite sorts the groups all the same.
            guard [.less, .lessOrEqual, .greater, .greaterOrEqual].contains(comparison) else {
                return nil
            }
            return isConstant(right) ? left : isConstant(left) ? right : nil
        case .between(let value, let low, let high, .binary):
            return isConstant(low) && isConstant(high) ? value : nil
        default: return nil
        }
    }

    private static func isConstant(_ expression: CheckedExpression) -> Bool {
        switch expression {
        case .literal, .parameter: true
        default: false
        }
    }
}
