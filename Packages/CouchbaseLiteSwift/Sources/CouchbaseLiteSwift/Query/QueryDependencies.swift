import DivanJSON
import DivanQuery
import DivanRevisions
import DivanStore

/// Which documents can change the rows of a live query.
///
/// Theory. The rows of a query over one collection, without groups and sub-queries, each come from one document that
/// meets its condition. A commit changes them only if one of its documents met the condition before or does now. So
/// each run also reads the IDs of the documents behind its rows, and after a commit the condition is tested on the
/// changed documents only, found by the index of IDs. With `LIMIT`, documents after the limit do not matter until they
/// move before it, and then they meet the condition.
struct QueryDependencies {
    /// The query with the document's ID as its last column.
    let traced: CheckedStatement
    private let filter: CheckedExpression
    private let template: CheckedStatement

    /// Creates the reach of a query; `nil` for one that any document may change.
    init?(_ statement: CheckedStatement) {
        guard statement.sources.count == 1, !statement.isAggregate, !statement.isDistinct,
            statement.groups.isEmpty, statement.matches.isEmpty, statement.vectorSearches.isEmpty,
            statement.offset == nil,
            statement.columns.count < QueryLimits.standard.columnCount,
            let filter = statement.filter, !Self.hasSubquery(filter),
            statement.columns.allSatisfy({ !Self.hasSubquery($0.expression) }),
            statement.orderings.allSatisfy({ !Self.hasSubquery($0.key.expression) })
        else { return nil }
        self.filter = filter
        var traced = statement
        // No other column title contains a zero byte.
        let id = CheckedColumn(title: "id\0", .metadata(source: 0, .id))
        traced.columns.append(id)
        self.traced = traced
        var probe = statement
        probe.columns.append(id)
        probe.orderings = []
        probe.limit = .literal(.integer(1))
        template = probe
    }

    /// The query that returns a row if one of these documents meets the condition.
    func probe(of documentIDs: Set<DivanRevisions.DocumentID>) -> CheckedStatement {
        let ids = documentIDs.map { CheckedExpression.literal(.string($0.text)) }
        var probe = template
        probe.filter = .and([.isOneOf(.metadata(source: 0, .id), ids, .binary), filter])
        return probe
    }

    private static func hasSubquery(_ expression: CheckedExpression) -> Bool {
        if case .exists = expression { return true }
        return expression.children.contains(where: hasSubquery)
    }
}
