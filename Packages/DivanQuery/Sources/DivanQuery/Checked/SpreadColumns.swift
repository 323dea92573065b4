import DivanJSON

/// Columns for the properties of complete documents, as returned by `SELECT *`.
///
/// The properties of all rows are counted first; then each row is spread over the columns. Properties without a
/// column are combined in an additional column, so that nothing is omitted.
public struct SpreadColumns: Sendable {
    private struct Column: Sendable {
        let title: String
        let isDocument: Bool
        var keys: [String] = []
        var known: Set<ExactText> = []
    }

    private let limit: Int
    private var columns: [Column]
    /// Whether there is a column for properties without one.
    private var hasRest = false

    /// Creates columns; `nil` if the query returns no complete documents.
    ///
    /// - Parameters:
    ///   - statement: The query.
    ///   - limit: The number of columns for the properties of a document; further properties share a column.
    public init?(_ statement: CheckedStatement, limit: Int) {
        self.limit = limit
        columns = statement.columns.map { column in
            Column(
                title: column.title.text,
                isDocument: Self.isDocument(column.expression, statement)
            )
        }
        guard columns.contains(where: \.isDocument) else { return nil }
    }

    private static func isDocument(
        _ expression: CheckedExpression,
        _ statement: CheckedStatement
    ) -> Bool {
        guard case .property(let source, let path) = expression, path.isEmpty,
            statement.sources.indices.contains(source),
            case .documents = statement.sources[source].form
        else { return false }
        return true
    }

    /// Counts the properties of a row.
    public mutating func count(_ row: [QueryValue]) {
        for (index, value) in zip(columns.indices, row) where columns[index].isDocument {
            for key in value.json?.object?.keys ?? [] {
                let name = ExactText(key)
                guard !columns[index].known.contains(name) else { continue }
                guard columns[index].keys.count < limit else {
                    hasRest = true
                    continue
                }
                columns[index].known.insert(name)
                columns[index].keys.append(key)
            }
        }
    }

    /// Adds a column for properties that were not counted.
    public mutating func expectMore() { hasRest = true }

    /// The titles of the columns.
    ///
    /// The title of a property is its name, prefixed with the document's name if another column has the same name.
    public var titles: [String] {
        var counts: [ExactText: Int] = [:]
        for column in columns {
            for title in isSpread(column) ? column.keys : [column.title] {
                counts[ExactText(title), default: 0] += 1
            }
        }
        return columns.flatMap { column -> [String] in
            guard isSpread(column) else { return [column.title] }
            let keys = column.keys.map { key in
                counts[ExactText(key)] == 1 ? key : "\(column.title).\(key)"
            }
            return keys + (hasRest ? ["\(column.title).*"] : [])
        }
    }

    private func isSpread(_ column: Column) -> Bool {
        column.isDocument && (hasRest || !column.keys.isEmpty)
    }

    /// The values of a row under the titles; `nil` if a property has no column.
    public func spread(_ row: [QueryValue]) -> [QueryValue]? {
        var values: [QueryValue] = []
        for (column, value) in zip(columns, row) {
            guard isSpread(column) else {
                values.append(value)
                continue
            }
            let members = value.json?.object ?? [:]
            values += column.keys.map { members[$0].map(Self.value) ?? .missing }
            var rest = JSONObject()
            for (key, value) in members where !column.known.contains(ExactText(key)) {
                rest[key] = value
            }
            if hasRest {
                values.append(rest.isEmpty ? .missing : QueryValue(.object(rest)))
            } else if !rest.isEmpty {
                return nil
            }
        }
        return values
    }

    /// A number with more digits than a double holds keeps its text.
    private static func value(_ json: JSON) -> QueryValue {
        switch json {
        case .uint, .long: .container((try? json.canonicalBytes()) ?? [])
        default: QueryValue(json)
        }
    }
}
