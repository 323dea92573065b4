internal import DivanQuery

/// A grouping that an index may already provide.
///
/// **Theory.** In an index that begins with the keys of the groups, equal rows are adjacent. That
/// pays if only the first document of each group is read, whose exact values are shown: SQLite
/// takes keys, flags and sequences from the index, but reads everything else from the documents, one
/// by one, wherever they are. So apart from its keys the query may only count; anything else is faster
/// if extracted from the documents in their order, and sorted.
struct SQLIndexedGrouping {
    /// The columns that are equal in a group, as an index has them.
    private let columns: Set<SQLIndexKey>
    /// The expressions that the conditions test.
    private let filtered: Set<SQLIndexKey>

    /// The grouping of a statement, if an index is enough for it.
    init?(
        of statement: CheckedStatement,
        by keys: [CheckedKey],
        _ documents: SQLDocumentColumns
    ) {
        guard statement.sources.count == 1, !statement.sources[0].includesDeleted,
            statement.matches.isEmpty
        else { return nil }
        let keys = keys.map { key in
            CheckedKey(statement.named(key.expression), collation: key.collation)
        }
        let columns = keys.compactMap { Self.column($0, documents) }
        guard !keys.isEmpty, columns.count == keys.count else { return nil }
        self.columns = Set(columns)
        let shown = Set(keys.map(\.expression))
        let rest =
            statement.columns.map(\.expression) + [statement.groupFilter].compactMap(\.self)
            + statement.orderings.map(\.key.expression)
        guard rest.allSatisfy({ Self.needs($0, only: shown) }) else { return nil }
        var filtered: Set<SQLIndexKey> = []
        for term in statement.filter?.terms ?? [] {
            guard let ranged = Self.ranged(term) else { return nil }
            let operand = statement.named(ranged)
            guard shown.contains(operand), let column = Self.column(CheckedKey(operand), documents)
            else { return nil }
            filtered.insert(column)
        }
        self.filtered = filtered
    }

    /// Whether an index provides it.
    func fits(_ index: SQLIndexContent) -> Bool {
        // With some of the documents, a query would not get all its groups.
        guard !index.isPartial, index.keys.count >= columns.count, let first = index.keys.first,
            Set(index.keys.prefix(columns.count)) == columns
        else { return false }
        return filtered.isSubset(of: [first])
    }

    /// A key as an index has it; `nil` if it is more than an expression over a document.
    private static func column(
        _ key: CheckedKey,
        _ documents: SQLDocumentColumns
    ) -> SQLIndexKey? {
        var rest = [key.expression]
        while let expression = rest.popLast() {
            if case .column = expression { return nil }
            rest += expression.children
        }
        return SQLIndexKey(key, documents)
    }

    private static func needs(
        _ expression: CheckedExpression,
        only keys: Set<CheckedExpression>
    ) -> Bool {
        if keys.contains(expression) { return true }
        switch expression {
        case .aggregate(.count, nil, _, _): return true
        case .aggregate, .property, .metadata, .allMetadata, .variable, .blob, .rank, .match,
            .exists:
            return false
        default: return expression.children.allSatisfy { needs($0, only: keys) }
        }
    }

    /// The expression that a condition restricts to a range between constants, which is one piece of an index.
    private static func ranged(_ term: CheckedExpression) -> CheckedExpression? {
        switch term {
        case .comparison(let comparison, let left, let right, .binary):
            // After an equality SQLite sorts the groups anyway.
            guard [.less, .lessOrEqual, .greater, .greaterOrEqual].contains(comparison) else {
                return nil
            }
            return right.isConstant ? left : left.isConstant ? right : nil
        case .between(let value, let low, let high, .binary):
            return low.isConstant && high.isConstant ? value : nil
        default: return nil
        }
    }
}
