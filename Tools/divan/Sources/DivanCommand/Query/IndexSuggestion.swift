import DivanJSON
import DivanQuery
import DivanStore

/// The index that a question lacks.
///
/// Theory. SQLite uses an index for terms of the top-level AND that compare an expression of the
/// document with a constant: for each equality, then for one range; behind the equalities also for
/// the order or the groups. So its expressions are those, in this order. Whether it is used is not
/// guessed: it is made in an empty database, and the question is planned there.
struct IndexSuggestion {
    /// The collection that would have the index.
    let collection: CollectionPath
    /// Its expressions, in SQL++.
    let expressions: [String]

    /// The index for the first source of a statement; `nil` when none would be used.
    init?(_ statement: QueryStatement, _ checked: CheckedStatement) throws {
        guard case .documents(let source) = checked.sources.first?.form,
            let path = CollectionPath(source)
        else { return nil }
        let found = Candidate(statement).expressions
        guard !found.isEmpty else { return nil }
        collection = path
        expressions = found.map(\.sql)
        guard try Self.isUsed(found, in: path, by: checked, of: source) else { return nil }
    }

    private static func isUsed(
        _ expressions: [QueryExpression],
        in path: CollectionPath,
        by checked: CheckedStatement,
        of collection: QueryCollection
    ) throws -> Bool {
        let store = Store.inMemory()
        defer { try? store.close() }
        for other in Set(checked.everyCollection) {
            if let path = CollectionPath(other) { try store.createCollection(path) }
        }
        let keys = try expressions.map { try $0.checkedKey(over: collection, itemPaths: []) }
        try store.write { try $0.createIndex("suggested", .value(keys, filter: nil), in: path) }
        let plan = try store.plan(of: StorageQuery(checked))
        return plan.steps.contains { step in
            step.text.hasPrefix("SEARCH s0 USING") && step.text.contains("_by_")
                || step.text.hasPrefix("SCAN s0 USING") && step.text.contains("_by_")
        }
    }
}

/// Expressions that an index may have, out of a statement as it was written.
private struct Candidate {
    private let alias: ExactText?
    private var equal: [QueryExpression] = []
    private var range: [QueryExpression] = []
    private var rest: [QueryExpression] = []

    init(_ statement: QueryStatement) {
        alias = statement.sources.first?.alias
        if let filter = statement.filter { take(filter) }
        let sorted =
            statement.groups.isEmpty
            ? statement.orderings.map(\.expression) : statement.groups
        rest = sorted.compactMap(document)
        if rest.count != sorted.count { rest = [] }
    }

    /// Equalities first, then a range, or else the order.
    var expressions: [QueryExpression] {
        var found: [QueryExpression] = []
        for expression in equal + (range.first.map { [$0] } ?? rest)
        where !found.contains(expression) { found.append(expression) }
        return found
    }

    private mutating func take(_ term: QueryExpression) {
        switch term.form {
        case .and(let terms): for term in terms { take(term) }
        case .comparison(let comparison, let left, let right):
            let side = isConstant(right) ? left : isConstant(left) ? right : nil
            guard let found = side.flatMap(document) else { return }
            switch comparison {
            case .equal, .same: equal.append(found)
            case .less, .lessOrEqual, .greater, .greaterOrEqual: range.append(found)
            case .notEqual, .notSame: break
            }
        case .between(let value, let low, let high) where isConstant(low) && isConstant(high):
            if let found = document(value) { range.append(found) }
        case .isIn(let value, _, isNegated: false):
            if let found = document(value) { equal.append(found) }
        case .like(let value, _):
            if let found = document(value) { range.append(found) }
        default: break
        }
    }

    private func isConstant(_ expression: QueryExpression) -> Bool {
        switch expression.form {
        case .literal, .parameter: true
        default: false
        }
    }

    /// The expression as an index has it, without the source's alias; `nil` for what none has.
    private func document(_ expression: QueryExpression) -> QueryExpression? {
        switch expression.form {
        case .property(let path):
            guard let alias else { return expression }
            guard path.steps.first == .key(alias), path.steps.count > 1 else { return nil }
            return QueryExpression(.property(path.dropping(1)))
        case .call(let function, let arguments):
            let parts = arguments.compactMap { isConstant($0) ? $0 : document($0) }
            guard parts.count == arguments.count, !arguments.allSatisfy(isConstant) else {
                return nil
            }
            return QueryExpression(.call(function, parts))
        default: return nil
        }
    }
}
