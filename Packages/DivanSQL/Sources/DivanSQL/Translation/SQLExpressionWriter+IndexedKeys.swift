internal import DivanJSON
internal import DivanQuery

extension SQLExpressionWriter {
    /// The most parts that an expression may have to be looked up among the keys of indexes.
    private static var partLimit: Int { 64 }

    /// Whether an index of values has an expression with a literal, which is text in the schema.
    ///
    /// SQLite recognizes the two as the same only if the query spells the literal, too. Expressions without
    /// literals are written alike in both anyway.
    func isIndexed(_ expression: CheckedExpression) throws -> Bool {
        guard extraction == nil, name != nil, Self.mayBeKey(expression),
            let collection = collection(ofKey: expression)
        else { return false }
        let indexes = try schema.valueIndexes(of: collection)
        guard !indexes.isEmpty else { return false }
        let schemaWriter = SQLExpressionWriter(
            statement: statement,
            schema: schema,
            name: nil,
            extraction: nil
        )
        var text = SQLText(isSchema: true)
        try schemaWriter.writeWhole(expression, .plain, to: &text)
        guard text.problem == nil else { return false }
        let found = ExactText(text.text)
        return indexes.contains { $0.keys.contains { $0.expression == found } }
    }

    /// Writes the conditions that tie an indexed property to the ID of another document once more,
    /// in the form in which an index on the property is searched.
    ///
    /// Compared with the ID column, the property is inside a call, which no index has. Of the two
    /// forms SQLite uses the one that finds the rows sooner. Only for conditions that must all be true.
    func writeIndexedTies(of condition: CheckedExpression, to text: inout SQLText) throws {
        let terms = if case .and(let terms) = condition { terms } else { [condition] }
        guard statement.sources.count > 1, terms.count <= Self.partLimit else { return }
        for term in terms {
            guard case .comparison(.equal, let left, let right, .binary) = term else { continue }
            for (id, property) in [(left, right), (right, left)] {
                let (id, property) = (statement.named(id), statement.named(property))
                guard try isTie(property, to: id) else { continue }
                text += " AND "
                try write(property, .plain, to: &text)
                text += " = "
                try writeOperand(id, to: &text)
            }
        }
    }

    private func isTie(_ property: CheckedExpression, to id: CheckedExpression) throws -> Bool {
        guard case .metadata(let other, .id) = id, case .property(let source, let path) = property,
            source != other, case .documents(let collection) = statement.sources[source].form,
            // An index refers to one collection only.
            let key = SQLIndexKey(CheckedKey(.property(source: 0, path)), documents)
        else { return false }
        return try schema.valueIndexes(of: collection)
            .contains { !$0.isPartial && $0.keys.first == key }
    }

    /// Conditions are not keys that a search would use.
    private static func mayBeKey(_ expression: CheckedExpression) -> Bool {
        switch expression {
        case .call, .concatenation, .arithmetic, .negative, .choice, .member: true
        default: false
        }
    }

    /// The only collection to whose documents an expression with bound literals refers.
    private func collection(ofKey expression: CheckedExpression) -> QueryCollection? {
        var (rest, count, source, hasLiteral) = ([expression], 0, Int?.none, false)
        while let part = rest.popLast() {
            count += 1
            guard count <= Self.partLimit else { return nil }
            switch part {
            case .literal(.string), .literal(.double): hasLiteral = true
            case .object: hasLiteral = true
            case .property(let number, _), .metadata(let number, _):
                guard number == source ?? number else { return nil }
                source = number
            case .column(let index, _): rest.append(statement.columns[index].expression)
            case .parameter, .variable, .allMetadata, .quantified, .exists, .aggregate, .match,
                .rank, .blob:
                return nil
            default: break
            }
            rest += part.children
        }
        guard hasLiteral, let source,
            case .documents(let collection) = statement.sources[source].form
        else { return nil }
        return collection
    }
}
