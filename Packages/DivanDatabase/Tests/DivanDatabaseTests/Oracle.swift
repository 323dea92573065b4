import DivanJSON
import DivanQuery

/// A plain evaluator that walks a checked query, to compare the real one with.
///
/// It knows nothing of SQL and of indexes: it builds all pairs of rows, then filters, groups and
/// sorts them in arrays. `nil` is MISSING.
struct Oracle {
    /// A document as queries see it.
    struct Document {
        let id: String
        let sequence: Int64
        let body: JSON
        let isDeleted: Bool
    }

    /// What a source contributes to a row.
    enum Part {
        case document(Document)
        case item(JSON)
        /// The right side of an outer join that found no match.
        case nothing
    }

    /// A row, or the rows of a group, with the variables of quantifiers around the expression.
    struct Scope {
        var rows: [[Part]]
        var variables: [Int: JSON] = [:]
    }

    let statement: CheckedStatement
    let documents: [QueryCollection: [Document]]
    let parameters: [String: JSON]

    init(
        _ statement: CheckedStatement,
        _ documents: [QueryCollection: [Document]],
        _ parameters: [String: JSON]
    ) {
        self.statement = statement
        self.documents = documents
        self.parameters = parameters
    }

    /// A row with its sort keys.
    struct Answer {
        let row: [JSON?]
        let keys: [JSON?]
    }

    /// The rows as the query returns them; rows that are equal by its order are in any order.
    func rows() -> [[JSON?]] {
        let answers = answers()
        return answers[window(of: answers.count)].map(\.row)
    }

    /// The part of all answers that `OFFSET` and `LIMIT` leave.
    func window(of count: Int) -> Range<Int> {
        let start = min(statement.offset.map(number) ?? 0, count)
        return start..<min(statement.limit.map { start + number($0) } ?? count, count)
    }

    /// All rows in order.
    func answers() -> [Answer] {
        var rows: [[Part]] = [[]]
        for source in statement.sources { rows = rows.flatMap { extended($0, by: source) } }
        if let filter = statement.filter {
            rows = rows.filter { isTrue(value(filter, Scope(rows: [$0]))) }
        }
        var scopes = groups(of: rows)
        if let filter = statement.groupFilter {
            scopes = scopes.filter { isTrue(value(filter, $0)) }
        }
        var answers = scopes.map { scope in
            Answer(
                row: statement.columns.map { value($0.expression, scope) },
                keys: statement.orderings.map { value($0.key.expression, scope) }
            )
        }
        if statement.isDistinct { answers = distinct(answers) }
        return answers.sorted { order($0, $1) < 0 }
    }

    /// Which of two answers comes first, by `ORDER BY` alone.
    func order(_ left: Answer, _ right: Answer) -> Int {
        for (index, ordering) in statement.orderings.enumerated() {
            let difference = compare(left.keys[index], right.keys[index], ordering.key.collation)
            if difference != 0 { return ordering.isDescending ? -difference : difference }
        }
        return 0
    }

    private func distinct(_ answers: [Answer]) -> [Answer] {
        var found: [Answer] = []
        for answer in answers {
            let isKnown = found.contains { known in
                zip(known.row, answer.row).allSatisfy { compare($0, $1) == 0 }
            }
            if !isKnown { found.append(answer) }
        }
        return found
    }

    private func number(_ expression: CheckedExpression) -> Int {
        max(Int(value(expression, Scope(rows: []))?.int ?? 0), 0)
    }

    private func extended(_ row: [Part], by source: CheckedSource) -> [[Part]] {
        switch source.form {
        case .items(source: let parent, let path):
            guard let container = part(row[parent], path) else { return [] }
            return items(of: container).map { row + [.item($0)] }
        case .documents(let collection):
            let visible = (documents[collection] ?? []).filter { document in
                source.includesDeleted || !document.isDeleted
            }
            let pairs = visible.map { row + [.document($0)] }
            let found = pairs.filter { pair in
                source.condition.map { isTrue(value($0, Scope(rows: [pair]))) } ?? true
            }
            return found.isEmpty && source.join == .leftOuter ? [row + [.nothing]] : found
        }
    }

    private func groups(of rows: [[Part]]) -> [Scope] {
        guard statement.isAggregate || !statement.groups.isEmpty else {
            return rows.map { Scope(rows: [$0]) }
        }
        guard !statement.groups.isEmpty else { return [Scope(rows: rows)] }
        var groups: [(key: [JSON?], scope: Scope)] = []
        for row in rows {
            let key = statement.groups.map { value($0.expression, Scope(rows: [row])) }
            let place = groups.firstIndex { group in
                zip(zip(group.key, key), statement.groups).allSatisfy { values, key in
                    compare(values.0, values.1, key.collation) == 0
                }
            }
            if let place {
                groups[place].scope.rows.append(row)
            } else {
                groups.append((key, Scope(rows: [row])))
            }
        }
        return groups.map(\.scope)
    }

    // MARK: Parts of documents

    func part(_ part: Part, _ path: QueryPath) -> JSON? {
        switch part {
        case .document(let document): follow(path, from: document.body)
        case .item(let item): follow(path, from: item)
        case .nothing: nil
        }
    }

    func follow(_ path: QueryPath, from value: JSON?) -> JSON? {
        path.steps.reduce(value) { value, step in
            switch step {
            case .key(let key): return value?.object?[key.text]
            case .item(let index):
                guard let items = value?.array else { return nil }
                let place = index < 0 ? items.count + index : index
                return items.indices.contains(place) ? items[place] : nil
            }
        }
    }

    func items(of value: JSON) -> [JSON] {
        value.array ?? value.object?.map(\.value) ?? [value]
    }

    func metadata(_ key: QueryMetadataKey, of part: Part) -> JSON? {
        guard case .document(let document) = part else { return nil }
        return switch key {
        case .id: .string(document.id)
        case .sequence, .rowid: .int(document.sequence)
        case .deleted: .bool(document.isDeleted)
        case .expiration, .revisionID: nil
        }
    }
}

// MARK: Values

extension Oracle {
    private static func rank(_ value: JSON?) -> Int {
        switch value {
        case nil: 0
        case .bool, .int, .uint, .double, .long: 1
        case .string: 2
        case .null: 3
        case .array, .object: 4
        }
    }

    static func number(_ value: JSON?) -> Double? {
        if case .bool(let value) = value { return value ? 1 : 0 }
        return value?.double
    }

    /// By the order of types.
    func compare(_ left: JSON?, _ right: JSON?, _ collation: QueryCollation = .binary) -> Int {
        let ranks = Self.rank(left) - Self.rank(right)
        guard ranks == 0 else { return ranks }
        if let left = Self.number(left), let right = Self.number(right) {
            return left < right ? -1 : left > right ? 1 : 0
        }
        if let left = left?.string, let right = right?.string {
            return OracleText(collation).compare(left, right)
        }
        guard let left, let right, Self.rank(left) == 4 else { return 0 }
        return OracleText.compare(
            (try? left.canonicalBytes()) ?? [],
            (try? right.canonicalBytes()) ?? []
        )
    }

    /// Whether a value lets a row pass.
    func isTrue(_ value: JSON?) -> Bool { value.map(truth) ?? false }

    func truth(_ value: JSON) -> Bool {
        if let number = Self.number(value) { return number != 0 }
        return value.string.map { Self.leadingNumber($0).double != 0 } ?? false
    }

    /// The number that text is or begins with; an integer only if it is all of the text.
    static func number(inText text: String) -> JSON {
        let leading = leadingNumber(text)
        guard Int64(text.drop(while: { $0 == " " })) == nil else { return leading }
        return .double(leading.double ?? 0)
    }

    /// The number that text begins with.
    static func leadingNumber(_ text: String) -> JSON {
        var best: JSON = .int(0)
        var prefix = ""
        for character in text.drop(while: { $0 == " " }).prefix(20) {
            prefix.append(character)
            if let whole = Int64(prefix) {
                best = .int(whole)
            } else if let number = Double(prefix), number.isFinite,
                prefix.utf8.allSatisfy({ $0 < 0x3A || $0 | 0x20 == 0x65 })
            {
                best = .double(number)
            }
        }
        return best
    }
}
