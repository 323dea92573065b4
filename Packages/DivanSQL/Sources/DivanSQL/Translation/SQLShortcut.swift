internal import DivanQuery

/// A way to answer a query without reading its documents.
enum SQLShortcut {
    /// `COUNT(*)` of a whole collection is its counter.
    case counter(QueryCollection)
    /// The number of documents with certain words is the number of matching rows of the table of words.
    case words
    /// The best rows by rank are chosen from the words before their documents are read.
    case best

    /// The shortcut for a statement, if there is one: it counts, and refers to no document.
    init?(_ statement: CheckedStatement, knowsLiveCounts: Bool) {
        guard statement.vectorSearches.isEmpty else { return nil }
        // The words are looked up before any document is read.
        if statement.matches.contains(where: { Self.readsRow($0.text) }) { return nil }
        if Self.choosesBest(statement) {
            self = .best
            return
        }
        guard statement.isAggregate, statement.groups.isEmpty, statement.groupFilter == nil,
            statement.sources.count == 1, let source = statement.sources.first,
            !source.includesDeleted, case .documents(let collection) = source.form,
            statement.columns.allSatisfy({ Self.onlyCounts($0.expression) }),
            statement.orderings.allSatisfy({ Self.onlyCounts($0.key.expression) })
        else { return nil }
        switch statement.filter {
        case nil where knowsLiveCounts: self = .counter(collection)
        case .match: self = .words
        case .and(let terms) where terms.allSatisfy(Self.isMatch): self = .words
        default: return nil
        }
    }

    private static func choosesBest(_ statement: CheckedStatement) -> Bool {
        guard !statement.isAggregate, statement.groups.isEmpty, !statement.isDistinct,
            statement.sources.count == 1, !statement.sources[0].includesDeleted,
            statement.limit != nil, statement.orderings.count == 1,
            statement.matches.count == 1, let filter = statement.filter, isMatch(filter),
            case .rank = statement.orderings[0].key.expression
        else { return false }
        return true
    }

    private static func isMatch(_ expression: CheckedExpression) -> Bool {
        if case .match = expression { true } else { false }
    }

    /// Whether an expression needs only the number of rows.
    private static func onlyCounts(_ expression: CheckedExpression) -> Bool {
        switch expression {
        case .aggregate(.count, let operand, _, isDistinct: false):
            operand.map(isAlwaysThere) ?? true
        case .aggregate, .property, .metadata, .allMetadata, .blob, .rank, .match, .exists: false
        default: expression.children.allSatisfy(onlyCounts)
        }
    }

    private static func readsRow(_ expression: CheckedExpression) -> Bool {
        switch expression {
        case .property, .metadata, .allMetadata, .blob, .column, .rank, .match, .exists: true
        default: expression.children.contains(where: readsRow)
        }
    }

    private static func isAlwaysThere(_ operand: CheckedExpression) -> Bool {
        switch operand {
        case .metadata(_, .id), .metadata(_, .sequence): true
        case .literal(let literal): literal != .missing
        default: false
        }
    }
}
