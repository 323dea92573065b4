internal import DivanJSON
internal import DivanQuery

/// Indexes that a query might use.
///
/// Theory. SQLite uses an index for conditions that compare an expression of one source with something
/// that does not depend on that source: for each equality, then for one range; after the equalities also for
/// the order or the groups. These, in this order, are the keys of an index. Each source may have one, and
/// each side of an OR. The items of an array have one if `UNNEST` or `ANY` compares them.
struct IndexCandidates {
    /// One of them.
    struct Candidate: Hashable {
        let collection: QueryCollection
        /// The path to the items; empty for an index of documents.
        var paths: [QueryPath] = []
        /// In SQL++; empty means the items themselves.
        let expressions: [String]
    }

    /// Expressions that belong together: those of a source, or of a variable of `ANY`.
    enum Subject: Equatable {
        case source(Int)
        case variable(Int)
    }

    private(set) var candidates: [Candidate] = []
    /// Whether a condition or an order uses Unicode collation, which no index has.
    private(set) var wantsUnicode = false
    /// Whether one uses a function that depends on the machine's time zone.
    private(set) var wantsLocalTime = false
    private let statement: CheckedStatement

    /// Finds the candidates of a statement.
    init(_ statement: CheckedStatement) {
        self.statement = statement
        for (number, source) in statement.sources.enumerated() {
            var terms = statement.filter?.terms ?? []
            // The condition of an outer join is not a condition on the sources before it.
            for (other, joined) in statement.sources.enumerated()
            where joined.join != .leftOuter || other == number {
                terms += joined.condition?.terms ?? []
            }
            switch source.form {
            case .documents(let collection): add(documentsOf: number, in: collection, terms)
            case .items: add(itemsOf: number, terms)
            }
        }
    }

    private mutating func add(
        documentsOf source: Int,
        in collection: QueryCollection,
        _ terms: [CheckedExpression]
    ) {
        let sorted = statement.sources.count == 1 ? order : []
        let whole = keys(of: .source(source), terms, order: sorted)
        if !whole.isEmpty { add(Candidate(collection: collection, expressions: whole)) }
        for case .or(let branches) in terms {
            let sides = branches.map { keys(of: .source(source), $0.terms, order: []) }
            guard sides.allSatisfy({ !$0.isEmpty }) else { continue }
            for side in sides { add(Candidate(collection: collection, expressions: side)) }
        }
        for case .quantified(.any, let variable, in: let items, satisfies: let condition) in terms {
            guard case .property(source, let path) = items, !path.isEmpty else { continue }
            let found = keys(of: .variable(variable), condition.terms, order: [])
            add(items: found, of: [path], in: collection)
        }
    }

    private mutating func add(itemsOf source: Int, _ terms: [CheckedExpression]) {
        var (present, paths) = (source, [QueryPath]())
        while case .items(let parent, let path) = statement.sources[present].form {
            paths.insert(path, at: 0)
            present = parent
        }
        guard case .documents(let collection) = statement.sources[present].form else { return }
        add(items: keys(of: .source(source), terms, order: []), of: paths, in: collection)
    }

    private mutating func add(
        items keys: [String],
        of paths: [QueryPath],
        in collection: QueryCollection
    ) {
        guard !keys.isEmpty else { return }
        // A path without steps is the item itself.
        let isWhole = keys.first == ""
        let expressions = isWhole ? [] : keys.filter { !$0.isEmpty }
        add(Candidate(collection: collection, paths: paths, expressions: expressions))
    }

    private mutating func add(_ candidate: Candidate) {
        if !candidates.contains(candidate) { candidates.append(candidate) }
    }

    // MARK: Keys

    /// What rows are grouped, merged or sorted by, or else the only minimum or maximum.
    private var order: [CheckedKey] {
        if !statement.groups.isEmpty { return statement.groups }
        if statement.isDistinct {
            return statement.columns.map { CheckedKey($0.expression, collation: $0.collation) }
        }
        if case .aggregate(let aggregate, let operand?, let collation, _) =
            statement.columns.first?.expression, statement.columns.count == 1,
            aggregate == .minimum || aggregate == .maximum
        {
            return [CheckedKey(operand, collation: collation)]
        }
        return statement.isAggregate ? [] : statement.orderings.map(\.key)
    }

    private mutating func keys(
        of subject: Subject,
        _ terms: [CheckedExpression],
        order: [CheckedKey]
    ) -> [String] {
        var (equal, range) = ([String](), [String]())
        for term in terms {
            guard let found = key(of: subject, in: term), let text = sql(found.key, of: subject)
            else { continue }
            if found.isEquality { equal.append(text) } else { range.append(text) }
        }
        var rest = order.compactMap { sql($0, of: subject) }
        if rest.count != order.count { rest = [] }
        var keys: [String] = []
        for key in equal + (range.first.map { [$0] } ?? rest) where !keys.contains(key) {
            keys.append(key)
        }
        return keys
    }

    /// The part of a subject that a condition compares with something else.
    private func key(
        of subject: Subject,
        in term: CheckedExpression
    ) -> (key: CheckedKey, isEquality: Bool)? {
        switch term {
        case .comparison(let comparison, let left, let right, let collation):
            guard comparison != .notEqual, comparison != .notSame else { return nil }
            let side = isFree(right, of: subject) ? left : isFree(left, of: subject) ? right : nil
            let isEquality = comparison == .equal || comparison == .same
            return side.map { (CheckedKey($0, collation: collation), isEquality) }
        case .isOneOf(let value, let list, let collation):
            guard list.allSatisfy({ isFree($0, of: subject) }) else { return nil }
            return (CheckedKey(value, collation: collation), true)
        case .isNull(let value), .isMissing(let value): return (CheckedKey(value), true)
        case .between(let value, let low, let high, let collation):
            guard isFree(low, of: subject), isFree(high, of: subject) else { return nil }
            return (CheckedKey(value, collation: collation), false)
        case .like(let value, let pattern, let collation):
            guard isFree(pattern, of: subject) else { return nil }
            return (CheckedKey(value, collation: collation), false)
        default: return nil
        }
    }

    /// Whether an expression does not depend on the subject.
    private func isFree(_ expression: CheckedExpression, of subject: Subject) -> Bool {
        switch expression {
        case .property(let source, _), .metadata(let source, _), .allMetadata(let source),
            .blob(let source, _):
            return subject != .source(source)
        case .variable(let number, _): return subject != .variable(number)
        case .column(let index, _):
            return isFree(statement.columns[index].expression, of: subject)
        case .exists, .match, .rank, .vectorDistance, .aggregate: return false
        default: return expression.children.allSatisfy { isFree($0, of: subject) }
        }
    }

    // MARK: SQL++

    /// A key in the syntax of an index; `nil` for what no index has.
    private mutating func sql(_ key: CheckedKey, of subject: Subject) -> String? {
        guard let expression = written(key.expression, of: subject) else { return nil }
        if key.collation.isUnicode {
            wantsUnicode = true
            return nil
        }
        if case .property(let path) = expression.form, path.isEmpty { return "" }
        return expression.sql + (key.collation.isCaseSensitive ? "" : " COLLATE NOCASE")
    }

    private mutating func written(
        _ expression: CheckedExpression,
        of subject: Subject
    ) -> QueryExpression? {
        switch expression {
        case .property(let source, let path) where subject == .source(source):
            if path.isEmpty, case .documents = statement.sources[source].form { return nil }
            return QueryExpression(.property(path))
        case .variable(let number, let path) where subject == .variable(number):
            return QueryExpression(.property(path))
        case .column(let index, let path) where path.isEmpty:
            return written(statement.columns[index].expression, of: subject)
        case .call(let function, let arguments, _):
            guard !function.dependsOnLocalTime else {
                wantsLocalTime = true
                return nil
            }
            var parts: [QueryExpression] = []
            for argument in arguments {
                if case .literal(let literal) = argument {
                    parts.append(QueryExpression(.literal(literal)))
                } else if let part = written(argument, of: subject) {
                    parts.append(part)
                }
            }
            // What is the same for all rows is not a key.
            guard parts.count == arguments.count, !isFree(expression, of: subject) else {
                return nil
            }
            return QueryExpression(.call(function, parts))
        default: return nil
        }
    }
}
