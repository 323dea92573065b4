internal import DivanJSON
internal import DivanQuery

extension SQLExpressionWriter {
    /// Writes an expression that is 1, 0 or NULL, without the parentheses that an operand needs.
    func writeCondition(_ expression: CheckedExpression, to text: inout SQLText) throws {
        switch expression {
        case .not(let operand):
            text += "NOT "
            try write(operand, .plain, to: &text)
        // Also terms of terms, some of which may be full-text conditions.
        case .and: try writeConditions(expression.terms, " AND ", to: &text)
        case .or(let terms): try writeAlternatives(terms, to: &text)
        case .comparison(let comparison, let left, let right, let collation):
            try writeComparison(comparison, left, right, collation, to: &text)
        case .isNull(let operand):
            try write(operand, .plain, to: &text)
            text += " = x''"
        case .isMissing(let operand):
            try write(operand, .plain, to: &text)
            text += " IS NULL"
        case .isValued(let operand):
            text += "ifnull("
            try write(operand, .plain, to: &text)
            text += " <> x'', 0)"
        case .between(let value, let low, let high, let collation):
            try writeOperand(value, to: &text)
            write(collation, over: [value, low, high], to: &text)
            text += " BETWEEN "
            try writeOperand(low, to: &text)
            text += " AND "
            try writeOperand(high, to: &text)
        case .isOneOf(let value, let list, let collation):
            try writeList(value, list, collation, to: &text)
        case .isItem(let value, of: let array, let collation):
            text.call(.isItem)
            try text.list([value, array]) { try write($1, .exact, to: &$0) }
            if collation.folding != 0 { text += ", \(collation.folding)" }
            text += ")"
        case .like(let value, let pattern, let collation):
            if try writeLikeness(value, pattern, collation, to: &text) { return }
            try writeRange(value, pattern, collation, to: &text)
            text.call(.like)
            try text.list([value, pattern]) { try write($1, .exact, to: &$0) }
            text += ", \(collation.folding))"
        case .quantified(let quantifier, let variable, in: let collection, satisfies: let condition):
            try writeQuantified(quantifier, variable, collection, condition, to: &text)
        case .exists(let statement): try writeExists(statement, to: &text)
        case .match(let index): try writeMatch(index, to: &text)
        default: try write(expression, .plain, to: &text)
        }
    }

    private func writeAlternatives(_ chain: [CheckedExpression], to text: inout SQLText) throws {
        guard !text.mayPlan(conditionCount: chain.count) else {
            return try writeConditions(chain, " OR ", to: &text)
        }
        let terms = SQLAlternatives(chain, in: statement).terms
        guard terms.count > 1 else { return try writeCondition(terms[0], to: &text) }
        try writeConditions(terms, " OR ", to: &text)
    }

    /// Writes a chain; if there are too many terms, after a plus, which hides them from SQLite's planner.
    ///
    /// The planner compares each condition with every other one. It must see those on words.
    private func writeConditions(
        _ terms: [CheckedExpression],
        _ sign: String,
        to text: inout SQLText
    ) throws {
        let hidden = terms.filter { if case .match = $0 { false } else { true } }
        guard !hidden.isEmpty, !text.plan(conditionCount: terms.count) else {
            return try writeChain(terms[...], sign, to: &text)
        }
        for case .match(let index) in terms {
            try writeMatch(index, to: &text)
            text += sign
        }
        text += "+("
        try writeChain(hidden[...], sign, to: &text)
        text += ")"
    }

    /// Writes a chain as a tree whose depth grows logarithmically with its length.
    private func writeChain(
        _ terms: ArraySlice<CheckedExpression>,
        _ sign: String,
        to text: inout SQLText
    ) throws {
        // A flat piece costs one level of the syntax tree for each term, and none of the parser.
        guard terms.count > 64 else {
            for (index, term) in terms.enumerated() {
                if index > 0 { text += sign }
                try write(term, .plain, to: &text)
            }
            return
        }
        let middle = terms.startIndex + terms.count / 2
        text += "("
        try writeChain(terms[..<middle], sign, to: &text)
        text += ")\(sign)("
        try writeChain(terms[middle...], sign, to: &text)
        text += ")"
    }

    /// Writes one side of a comparison other than for equality.
    ///
    /// A plus removes the affinity by which a text column would convert a number on the other side.
    func writeOperand(_ operand: CheckedExpression, to text: inout SQLText) throws {
        if Self.isColumn(statement.named(operand)) { text += "+" }
        try write(operand, .plain, to: &text)
    }

    /// Whether an expression is written as a column with a type.
    private static func isColumn(_ expression: CheckedExpression) -> Bool {
        switch expression {
        case .metadata(_, .id), .metadata(_, .sequence), .metadata(_, .rowid),
            .metadata(_, .expiration):
            true
        default: false
        }
    }

    private static func isDocumentID(_ expression: CheckedExpression) -> Bool {
        if case .metadata(_, .id) = expression { true } else { false }
    }

    /// Whether a value is known to be a number, so that an integer column does not change it.
    private static func isNumber(_ expression: CheckedExpression) -> Bool {
        switch expression {
        case .literal(.integer), .literal(.double), .metadata(_, .sequence),
            .metadata(_, .expiration), .metadata(_, .rowid):
            true
        default: false
        }
    }

    /// Whether a value is known to be text, which a text column leaves unchanged.
    private static func isText(_ expression: CheckedExpression) -> Bool {
        if case .literal(.string) = expression { true } else { false }
    }

    private func writeComparison(
        _ comparison: QueryComparison,
        _ left: CheckedExpression,
        _ right: CheckedExpression,
        _ collation: QueryCollation,
        to text: inout SQLText
    ) throws {
        let isEquality = comparison == .equal || comparison == .same
        let (left, right) = (statement.named(left), statement.named(right))
        if comparison == .equal, collation == .binary, try writeEquality(left, right, to: &text) {
            return
        }
        try writeSide(left, beside: right, isEquality, to: &text)
        write(collation, over: [left, right], to: &text)
        text += " \(comparison == .notEqual ? "<>" : comparison.rawValue) "
        try writeSide(right, beside: left, isEquality, to: &text)
    }

    /// Writes one side so that neither side's column changes the other, and so that an index on the
    /// column can be used where possible.
    private func writeSide(
        _ side: CheckedExpression,
        beside other: CheckedExpression,
        _ isEquality: Bool,
        to text: inout SQLText
    ) throws {
        let areIDs = Self.isDocumentID(side) && Self.isDocumentID(other)
        if isEquality, !areIDs, Self.isDocumentID(other) {
            text.call(.textKey)
            try write(side, .plain, to: &text)
            text += ")"
        } else if areIDs || (isEquality && Self.isDocumentID(side))
            || (Self.isNumber(other) && !Self.isDocumentID(side))
            || (Self.isDocumentID(side) && Self.isText(other))
        {
            try write(side, .plain, to: &text)
        } else {
            try writeOperand(side, to: &text)
        }
    }

    private func writeList(
        _ value: CheckedExpression,
        _ list: [CheckedExpression],
        _ collation: QueryCollation,
        to text: inout SQLText
    ) throws {
        // SQLite reads an empty list as the word FALSE, which has a meaning of its own after IS.
        if list.isEmpty {
            text += "0"
            return
        }
        let value = statement.named(value)
        let isDocumentID = Self.isDocumentID(value)
        if !isDocumentID, Self.isColumn(value) { text += "+" }
        try write(value, .plain, to: &text)
        write(collation, over: [value] + list, to: &text)
        text += " IN ("
        try text.list(list) { text, item in
            if isDocumentID { text.call(.textKey) }
            try write(item, .plain, to: &text)
            if isDocumentID { text += ")" }
        }
        text += ")"
    }

    /// Writes the range of texts that a pattern with a fixed beginning can match, so that an index on
    /// the property, or on another indexed expression, finds them.
    private func writeRange(
        _ value: CheckedExpression,
        _ pattern: CheckedExpression,
        _ collation: QueryCollation,
        to text: inout SQLText
    ) throws {
        guard let range = LikeRange(pattern, collation), try isRanged(value) else { return }
        try write(value, .plain, to: &text)
        text += " >= "
        text.bind(.text(ExactText(range.low)))
        text += " AND "
        try write(value, .plain, to: &text)
        text += " < "
        text.bind(.text(ExactText(range.high)))
        text += " AND "
    }

    /// Whether a range in addition to a pattern pays: reading a property twice costs little; a call, such as
    /// `LOWER(name)`, pays only if an index begins with it.
    private func isRanged(_ value: CheckedExpression) throws -> Bool {
        if case .property = value { return true }
        guard case .call = value, extraction == nil, statement.sources.count == 1,
            case .documents(let collection) = statement.sources[0].form
        else { return false }
        // Checked first: text written only for an index has none; otherwise the outer LIKE would write each
        // LIKE inside it twice.
        let indexes = try schema.valueIndexes(of: collection)
        guard !indexes.isEmpty, let key = SQLIndexKey(CheckedKey(value), documents) else {
            return false
        }
        return indexes.contains { !$0.isPartial && $0.keys.first == key }
    }

    private func writeQuantified(
        _ quantifier: QueryQuantifier,
        _ variable: Int,
        _ collection: CheckedExpression,
        _ condition: CheckedExpression,
        to text: inout SQLText
    ) throws {
        let name = "v\(variable)"
        let skipsScalars = Self.skipsScalars(quantifier, variable, collection, condition)
        if quantifier == .any, let (source, table) = try indexedItems(collection) {
            let key = prefix(source) + documents.sequence
            // If only the key ties it to the document, SQLite finds the items first.
            text +=
                isAboutItems(condition, [variable])
                ? "\(key) IN (SELECT owner FROM \(table) AS \(name) WHERE "
                : "EXISTS (SELECT 1 FROM \(table) AS \(name) WHERE \(name).owner = \(key) AND "
            if skipsScalars { text += "NOT \(name).isAlone AND " }
            try text.apart { try write(condition, .plain, to: &$0) }
            text += ")"
            return
        }
        if quantifier == .any,
            try writeAnyEquality(variable, collection, condition, skipsScalars, to: &text)
        {
            return
        }
        let items = ItemList(collection: collection, skipsScalars: skipsScalars, name: name)
        if quantifier == .anyAndEvery {
            // For all items at once: the collection is written once, however deep such conditions nest. A MISSING
            // condition counts as satisfied, as with NOT.
            text += "(SELECT count(*) > 0 AND NOT ifnull(max(x), 0) FROM (SELECT NOT "
            try text.apart { try write(condition, .plain, to: &$0) }
            text += " AS x FROM "
            try write(items, to: &text)
            text += "))"
            return
        }
        let negation = quantifier == .every ? "NOT " : ""
        text += "\(negation)EXISTS (SELECT 1 FROM "
        try write(items, to: &text)
        text += " WHERE \(negation)"
        try text.apart { try write(condition, .plain, to: &$0) }
        text += ")"
    }

    private func write(_ items: ItemList, to text: inout SQLText) throws {
        text += "divan_items1("
        if items.skipsScalars { text.call(.container) }
        try write(items.collection, .exact, to: &text)
        text += items.skipsScalars ? ")) AS " : ") AS "
        text += items.name
    }

    /// Whether a condition refers only to these variables, and to those that it declares itself.
    private func isAboutItems(_ condition: CheckedExpression, _ variables: Set<Int>) -> Bool {
        switch condition {
        case .property, .metadata, .allMetadata, .column, .match, .rank: false
        case .variable(let number, _): variables.contains(number)
        case .quantified(_, let variable, in: let collection, satisfies: let inner):
            isAboutItems(collection, variables)
                && isAboutItems(inner, variables.union([variable]))
        default: condition.children.allSatisfy { isAboutItems($0, variables) }
        }
    }

    /// Whether a property that is no container has no items, although elsewhere a scalar is one item.
    ///
    /// This is how the reference engine treats `ANY AND EVERY` and `ANY v … v = x`.
    private static func skipsScalars(
        _ quantifier: QueryQuantifier,
        _ variable: Int,
        _ collection: CheckedExpression,
        _ condition: CheckedExpression
    ) -> Bool {
        guard case .property = collection else { return false }
        switch quantifier {
        case .every: return false
        case .anyAndEvery: return true
        case .any:
            let item = CheckedExpression.variable(variable, QueryPath())
            guard case .comparison(.equal, let left, _, _) = condition else { return false }
            return left == item
        }
    }

    /// The table with the items of a property, if an index keeps one.
    private func indexedItems(
        _ collection: CheckedExpression
    ) throws -> (source: Int, table: String)? {
        guard extraction == nil, case .property(let source, let path) = collection,
            !path.isEmpty, case .documents(let documents) = statement.sources[source].form,
            !statement.sources[source].includesDeleted,
            statement.sources[source].join != .leftOuter,
            let table = try schema.itemTable(of: documents, [path])
        else { return nil }
        return (source, table)
    }

    private func writeExists(_ statement: CheckedStatement, to text: inout SQLText) throws {
        text += "EXISTS ("
        // It refers to nothing outside itself; other names only keep `explain` readable.
        let writer = SQLStatementWriter(statement, schema: schema, name: "\(name ?? "")x")
        try text.apart { try writer.write(to: &$0) }
        text += ")"
    }

    private func writeMatch(_ index: Int, to text: inout SQLText) throws {
        let match = statement.matches[index]
        let table = try schema.fullTextTable(of: match, in: statement)
        text += "\(words(index)).\(table.name) MATCH divan_full_text_query1("
        try write(match.text, .plain, to: &text)
        text += ", "
        // Each name ends with a zero byte.
        text.bind(.text(ExactText(table.columns.map { $0.text + "\0" }.joined())))
        text += ", "
        text.bind(.text(ExactText(table.tokenizer)))
        text += ")"
    }

    func writeRank(_ index: Int, to text: inout SQLText) throws {
        if let rank {
            text += rank
            return
        }
        if let extraction {
            text += extraction.name(of: .rank(index), .plain)
            return
        }
        let table = try schema.fullTextTable(of: statement.matches[index], in: statement)
        text += "divan_rank1(\(words(index)).\(table.name))"
    }

    /// The name of the table of words of a condition in the statement.
    func words(_ index: Int) -> String { "\(name ?? "")m\(index)" }
}

extension SQLSchema {
    func fullTextTable(
        of match: CheckedMatch,
        in statement: CheckedStatement
    ) throws -> SQLFullTextTable {
        guard case .documents(let collection) = statement.sources[match.source].form else {
            throw QueryError("MATCH requires an index on a collection", code: .missingIndex)
        }
        return try fullTextTable(match.index, in: collection)
    }
}

/// The items of a collection, as a table of the statement.
private struct ItemList {
    let collection: CheckedExpression
    /// Whether a value that is no container has no items.
    let skipsScalars: Bool
    let name: String
}
