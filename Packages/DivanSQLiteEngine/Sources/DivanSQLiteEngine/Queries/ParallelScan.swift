internal import DivanJSON
internal import DivanQuery
internal import DivanStorage

/// A query over all rows of a collection as several queries over parts of them, whose few rows are
/// combined into those of the whole.
///
/// Two sorts of queries can be divided. One sort only counts, or asks for least and greatest values,
/// even of joins, each of whose rows belongs to one row of the first source. The other wants the
/// first rows in an order. Sums cannot be divided, since a sum of doubles depends on the order of its
/// terms, and rows must not depend on the number of processors.
struct ParallelScan {
    /// Rows of an ordered query that are kept for each part.
    static let rowLimit = 1_000

    private enum Sort {
        case aggregates([QueryAggregate])
        case first(limit: Int, offset: Int, isDescending: [Bool])
    }

    /// The collection whose rows are divided.
    let collection: QueryCollection
    private let statement: CheckedStatement
    private let sort: Sort

    /// The query, if it can be divided.
    init?(_ statement: CheckedStatement) {
        guard let first = statement.sources.first, case .documents(let collection) = first.form,
            !statement.isDistinct, statement.groups.isEmpty, statement.groupFilter == nil,
            statement.matches.isEmpty, statement.vectorSearches.isEmpty,
            // Models are called by one thread at a time.
            !statement.hasPrediction,
            let sort = Self.sort(of: statement),
            // Equal rows of a join have no order of their own that the parts would preserve.
            statement.isAggregate || statement.sources.dropFirst().allSatisfy(\.areItems),
            !statement.hasSubquery
        else { return nil }
        self.collection = collection
        self.statement = statement
        self.sort = sort
    }

    /// The query over the rows whose sequence is in a range.
    func part(_ sequences: Range<Int64>) -> CheckedStatement {
        var part = statement
        let sequence = CheckedExpression.metadata(source: 0, .sequence)
        let bounds: [CheckedExpression] = [
            .comparison(
                .greaterOrEqual,
                sequence,
                .literal(.integer(sequences.lowerBound)),
                .binary
            ),
            .comparison(.less, sequence, .literal(.integer(sequences.upperBound)), .binary),
        ]
        part.filter = .and(bounds + [statement.filter].compactMap(\.self))
        if case .first(let limit, let offset, _) = sort {
            part.limit = .literal(.integer(Int64(limit + offset)))
            part.offset = nil
            part.columns += statement.orderings.enumerated().map { number, ordering in
                // No other column has a zero byte in its title. Bodies from a peer keep their spelling,
                // which is not what the rows of a part are ordered by.
                CheckedColumn(
                    title: ExactText("\(number)\0"),
                    ordering.key.expression,
                    isPlain: true
                )
            }
        }
        return part
    }

    /// The rows of the whole, from those of the parts in order of their sequences.
    func whole(_ parts: [[[QueryValue]]]) -> [[QueryValue]] {
        switch sort {
        case .aggregates(let aggregates):
            let rows = parts.compactMap(\.first)
            return [
                aggregates.indices.map { column in
                    Self.aggregate(aggregates[column], rows.map { $0[column] })
                }
            ]
        case .first(let limit, let offset, let isDescending):
            let width = statement.columns.count
            // Of equal rows the one that was first stays first, as in a single scan.
            let rows = parts.joined().enumerated().sorted { left, right in
                for (key, isDescending) in isDescending.enumerated() {
                    let order = QueryValueOrder.compare(
                        left.element[width + key],
                        right.element[width + key]
                    )
                    if order != 0 { return (order < 0) != isDescending }
                }
                return left.offset < right.offset
            }
            return rows.dropFirst(offset).prefix(limit).map { Array($0.element.prefix(width)) }
        }
    }

    private static func sort(of statement: CheckedStatement) -> Sort? {
        if statement.isAggregate {
            guard statement.orderings.isEmpty, statement.limit == nil, statement.offset == nil
            else { return nil }
            // A collection without a filter is counted by its counter, or by an index.
            var aggregates: [QueryAggregate] = []
            for column in statement.columns {
                guard
                    case .aggregate(let aggregate, _, .binary, isDistinct: false) = column
                        .expression,
                    [.count, .minimum, .maximum].contains(aggregate)
                else { return nil }
                aggregates.append(aggregate)
            }
            return .aggregates(aggregates)
        }
        guard !statement.orderings.isEmpty,
            statement.orderings.allSatisfy({ $0.key.collation == .binary }),
            // A part has a column for each key.
            statement.columns.count + statement.orderings.count <= QueryLimits.standard.columnCount,
            case .literal(.integer(let limit))? = statement.limit,
            (1...Int64(rowLimit)).contains(limit),
            let offset = count(statement.offset), Int(limit) + offset <= rowLimit
        else { return nil }
        return .first(
            limit: Int(limit),
            offset: offset,
            isDescending: statement.orderings.map(\.isDescending)
        )
    }

    private static func count(_ expression: CheckedExpression?) -> Int? {
        guard let expression else { return 0 }
        guard case .literal(.integer(let number)) = expression, number <= Int64(rowLimit)
        else { return nil }
        return max(0, Int(number))
    }

    private static func aggregate(
        _ aggregate: QueryAggregate,
        _ values: [QueryValue]
    ) -> QueryValue {
        switch aggregate {
        case .count:
            return .integer(
                values.reduce(0) { sum, value in
                    if case .integer(let count) = value { sum + count } else { sum }
                }
            )
        default:
            let isLeast = aggregate == .minimum
            // MISSING is the value of a part without any.
            return values.filter { $0 != .missing }.reduce(.missing) { best, value in
                guard best != .missing else { return value }
                let order = QueryValueOrder.compare(value, best)
                return isLeast ? (order < 0 ? value : best) : (order > 0 ? value : best)
            }
        }
    }
}

/// The order of the language, as SQLite implements it for values in plain form, text by its bytes, and binary
/// content by the byte that marks it.
enum QueryValueOrder {
    /// Negative, zero or positive.
    static func compare(_ left: QueryValue, _ right: QueryValue) -> Int {
        let ranks = (rank(left), rank(right))
        guard ranks.0 == ranks.1 else { return ranks.0 - ranks.1 }
        switch (left, right) {
        case (.string(let left), .string(let right)): return compare(left.utf8, right.utf8)
        case (.container(let left), .container(let right)),
            (.binary(let left), .binary(let right)):
            return compare(left, right)
        default: return compareNumbers(left, right)
        }
    }

    private static func rank(_ value: QueryValue) -> Int {
        switch value {
        case .missing: 0
        case .boolean, .integer, .double: 1
        case .string: 2
        case .null: 3
        case .binary: 4
        case .container: 5
        }
    }

    private static func compare(_ left: some Sequence<UInt8>, _ right: some Sequence<UInt8>) -> Int
    {
        if left.lexicographicallyPrecedes(right) { return -1 }
        return right.lexicographicallyPrecedes(left) ? 1 : 0
    }

    private static func compareNumbers(_ left: QueryValue, _ right: QueryValue) -> Int {
        switch (number(left), number(right)) {
        case (.integer(let left), .integer(let right)): left < right ? -1 : left > right ? 1 : 0
        case (.double(let left), .double(let right)): compare(left, right)
        case (.integer(let left), .double(let right)): left.compared(with: right)
        case (.double(let left), .integer(let right)): -right.compared(with: left)
        default: 0
        }
    }

    private static func number(_ value: QueryValue) -> QueryValue {
        if case .boolean(let isTrue) = value { .integer(isTrue ? 1 : 0) } else { value }
    }

    /// NaN precedes every other number: SQLite has none, and an order needs a place for it.
    private static func compare(_ left: Double, _ right: Double) -> Int {
        guard !left.isNaN, !right.isNaN else {
            return (left.isNaN ? 0 : 1) - (right.isNaN ? 0 : 1)
        }
        return left < right ? -1 : left > right ? 1 : 0
    }
}

extension CheckedSource {
    fileprivate var areItems: Bool {
        if case .items = form { true } else { false }
    }
}

extension CheckedStatement {
    /// Whether it calls a model.
    fileprivate var hasPrediction: Bool { has { if case .prediction = $0 { true } else { false } } }

    fileprivate var hasSubquery: Bool { has { if case .exists = $0 { true } else { false } } }

    private func has(_ isWanted: (CheckedExpression) -> Bool) -> Bool {
        var rest = columns.map(\.expression) + [filter].compactMap(\.self)
        rest += orderings.map(\.key.expression) + sources.compactMap(\.condition)
        while let expression = rest.popLast() {
            if isWanted(expression) { return true }
            rest += expression.children
        }
        return false
    }
}
