import DivanDatabase
import DivanJSON
import DivanQuery
import DivanRevisions

/// Which documents can change the rows of a live query.
///
/// Theory. The rows of a query over one collection, without groups and sub-queries, each come from one document that
/// meets its condition. A commit changes them only if one of its documents met the condition before or does now. So
/// each run also reads the IDs of the documents behind its rows, and after a commit the condition is tested on the
/// changed documents only, found by the index of IDs. With `LIMIT`, documents after the limit do not matter until they
/// move before it, and then they meet the condition. The rows of a search for the nearest vectors change only if a
/// document of a row changed, or another one is as near as the last row now.
struct QueryDependencies {
    /// What the rows of a run depend on.
    struct Origins {
        /// The documents that the rows come from.
        fileprivate(set) var documentIDs: Set<DivanRevisions.DocumentID> = []
        /// The distance of the last row; `nil` if farther documents may become rows.
        fileprivate(set) var farthest: Double?
    }

    /// The query with the document's ID as its last column, after the distance if it is a search.
    let traced: CheckedStatement
    private let template: CheckedStatement
    /// The number of rows after which only nearer documents matter.
    private let nearestCount: Int?

    /// Creates the dependencies of a query; `nil` for one that any document may change.
    init?(_ statement: CheckedStatement) {
        guard statement.sources.count == 1, !statement.isAggregate, !statement.isDistinct,
            statement.groups.isEmpty, statement.matches.isEmpty, statement.offset == nil,
            // Two columns are added.
            statement.columns.count + 2 <= QueryLimits.standard.columnCount,
            statement.filter.map(Self.hasSubquery) != true,
            statement.columns.allSatisfy({ !Self.hasSubquery($0.expression) }),
            statement.orderings.allSatisfy({ !Self.hasSubquery($0.key.expression) })
        else { return nil }
        nearestCount = statement.vectorSearches.first?.nearestCount
        // A search has a condition in any case: that a document is near enough.
        let isSearch = !statement.vectorSearches.isEmpty
        guard isSearch ? nearestCount != nil : statement.filter != nil else { return nil }
        // No other column title contains a zero byte.
        var extra = [CheckedColumn(title: "id\0", .metadata(source: 0, .id))]
        if isSearch {
            extra.insert(CheckedColumn(title: "distance\0", .vectorDistance(0)), at: 0)
        }
        var traced = statement
        traced.columns += extra
        self.traced = traced
        var probe = traced
        probe.orderings = []
        probe.limit = .literal(.integer(1))
        for search in probe.vectorSearches.indices {
            probe.vectorSearches[search].nearestCount = nil
            probe.vectorSearches[search].filter = nil
        }
        template = probe
    }

    /// Removes the added columns from the rows of the traced query.
    ///
    /// - Returns: What the rows depend on; `nil` if there are too many.
    func takeOrigins(from rows: inout [[QueryValue]]) -> Origins? {
        var origins = rows.count <= LiveQueryLimits.tracedRowCount ? Origins() : nil
        for index in rows.indices {
            if case .string(let id) = rows[index].removeLast() {
                origins?.documentIDs.insert(DivanRevisions.DocumentID(unchecked: id))
            }
            guard let nearestCount, case .double(let distance) = rows[index].removeLast() else {
                continue
            }
            if index + 1 >= nearestCount { origins?.farthest = distance }
        }
        return origins
    }

    /// The query that returns a row if one of these documents may be one of the rows now.
    func probe(
        of documentIDs: Set<DivanRevisions.DocumentID>,
        _ origins: Origins
    ) -> CheckedStatement {
        let ids = documentIDs.map { CheckedExpression.literal(.string($0.text)) }
        var terms: [CheckedExpression] = [.isOneOf(.metadata(source: 0, .id), ids, .binary)]
        if let filter = template.filter { terms.append(filter) }
        if let farthest = origins.farthest {
            let limit = CheckedExpression.literal(.double(farthest))
            terms.append(.comparison(.lessOrEqual, .vectorDistance(0), limit, .binary))
        }
        var probe = template
        probe.filter = .and(terms)
        return probe
    }

    private static func hasSubquery(_ expression: CheckedExpression) -> Bool {
        if case .exists = expression { return true }
        return expression.children.contains(where: hasSubquery)
    }
}
