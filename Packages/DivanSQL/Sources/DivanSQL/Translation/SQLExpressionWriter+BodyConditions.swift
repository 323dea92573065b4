internal import DivanJSON
internal import DivanQuery

/// Conditions on a property that one function decides in the body, without copying the value out of it.
extension SQLExpressionWriter {
    /// Writes `property = constant`; false if that needs the property's value.
    ///
    /// Only where nothing is joined: there SQLite chooses the order of the tables by the equalities that it sees.
    func writeEquality(
        _ left: CheckedExpression,
        _ right: CheckedExpression,
        to text: inout SQLText
    ) throws -> Bool {
        guard documentSourceCount == 1 else { return false }
        let (property, constant) = right.isConstant ? (left, right) : (right, left)
        guard constant.isConstant, let place = place(of: property, in: text),
            try !isIndexed(property: property)
        else { return false }
        text.call(.equals)
        text += "\(place), "
        try write(constant, .plain, to: &text)
        text += ")"
        return true
    }

    /// Writes `property LIKE constant` for a pattern that no range of an index helps to find; false for others.
    func writeLikeness(
        _ value: CheckedExpression,
        _ pattern: CheckedExpression,
        _ collation: QueryCollation,
        to text: inout SQLText
    ) throws -> Bool {
        guard pattern.isConstant, let place = place(of: statement.named(value), in: text)
        else { return false }
        guard LikeRange(pattern, collation) == nil, text.mayHoldBody() else { return false }
        text.call(.likeProperty)
        text += "\(place), "
        try write(pattern, .exact, to: &text)
        text += ", \(collation.folding))"
        return true
    }

    /// Writes `ANY v IN property SATISFIES v = constant`, also for a property of `v`; false for other conditions.
    func writeAnyEquality(
        _ variable: Int,
        _ collection: CheckedExpression,
        _ condition: CheckedExpression,
        _ skipsScalars: Bool,
        to text: inout SQLText
    ) throws -> Bool {
        guard case .comparison(.equal, let left, let right, .binary) = condition,
            let place = place(of: collection, in: text)
        else { return false }
        let (item, constant) = right.isConstant ? (left, right) : (right, left)
        guard constant.isConstant, case .variable(variable, let path) = item,
            text.mayHoldBody()
        else { return false }
        text.call(.anyEquals)
        text += "\(place), \(path.isEmpty ? "''" : path.storedPath), "
        try write(constant, .plain, to: &text)
        text += skipsScalars ? ", 1)" : ", 0)"
        return true
    }

    /// The column with the body and the path of a property of a document; `nil` for other expressions, and where
    /// parts of documents are columns or the text is that of an index.
    private func place(of property: CheckedExpression, in text: SQLText) -> String? {
        guard extraction == nil, name != nil, !text.isSchema,
            case .property(let source, let path) = property, !path.isEmpty,
            case .documents = statement.sources[source].form
        else { return nil }
        return "\(prefix(source))\(documents.body), \(path.storedPath)"
    }

    /// Whether an index may find the documents by a property: it is in a key, or perhaps in the condition of an index.
    private func isIndexed(property: CheckedExpression) throws -> Bool {
        guard case .property(let source, let path) = property,
            case .documents(let collection) = statement.sources[source].form
        else { return false }
        let stored = path.storedPath
        return try schema.valueIndexes(of: collection).contains { index in
            index.isPartial || index.keys.contains { $0.expression.text.contains(stored) }
        }
    }

    private var documentSourceCount: Int {
        statement.sources.count { if case .documents = $0.form { true } else { false } }
    }
}

extension CheckedExpression {
    /// Whether it has one value for all rows, which is known before the query runs.
    var isConstant: Bool {
        switch self {
        case .literal, .parameter: true
        default: false
        }
    }
}

extension LikeRange {
    /// The range of the texts that a constant pattern can match under a collation; `nil` if there is none.
    init?(_ pattern: CheckedExpression, _ collation: QueryCollation) {
        guard case .literal(.string(let pattern)) = pattern, collation.folding == 0 else {
            return nil
        }
        self.init(pattern: pattern)
    }
}
