internal import DivanQuery

/// Counting the items of an array in the table that an index keeps of them, without the documents.
///
/// The table has a row for each item of each live document, so joining the documents would neither add a row nor
/// remove one.
extension SQLStatementWriter {
    /// The table with the items that the statement counts; `nil` if it is no count of items alone, or no index keeps
    /// them.
    func tableOfCountedItems() throws -> String? {
        guard statement.isAggregate, statement.groups.isEmpty, statement.groupFilter == nil,
            !statement.isDistinct, statement.sources.count == 2,
            !statement.sources[0].includesDeleted, statement.matches.isEmpty,
            statement.vectorSearches.isEmpty, case .items(0, _) = statement.sources[1].form,
            statement.sources[1].condition == nil
        else { return nil }
        var parts = statement.columns.map(\.expression)
        parts += statement.orderings.map(\.key.expression)
        parts += [statement.filter, statement.limit, statement.offset].compactMap(\.self)
        guard parts.allSatisfy(\.countsItems) else { return nil }
        return try itemTable(1)
    }

    /// Writes the count.
    func writeItemCount(in table: String, to text: inout SQLText) throws {
        let writer = expressions()
        text += "SELECT "
        try text.list(statement.columns) { text, column in
            try writer.write(column.expression, column.isPlain ? .plain : .exact, to: &text)
        }
        text += " FROM \(table) AS \(name)1"
        if let filter = statement.filter {
            text += " WHERE "
            try writer.write(filter, .plain, to: &text)
        }
        try writeOrder(writer, to: &text)
        try writeLimit(writer, to: &text)
    }
}

extension CheckedExpression {
    /// Whether it uses only the items, and of their aggregates only numbers of rows: a sum of doubles depends on the
    /// order of the rows, and so does a least value among equal ones.
    fileprivate var countsItems: Bool {
        switch self {
        case .property(0, _), .metadata, .allMetadata, .blob, .exists, .match, .rank,
            .vectorDistance, .prediction:
            return false
        case .aggregate(let aggregate, _, _, _) where aggregate != .count: return false
        default: return children.allSatisfy(\.countsItems)
        }
    }
}
