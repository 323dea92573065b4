import DivanCommandLine
import DivanDatabase
import DivanQuery

// `SELECT *` returns whole documents; in a table each property has a column.
extension QuerySession {
    /// Rows of a table whose properties are counted; later ones share a column for what has none.
    private static let countedRows = 10_000

    /// The columns of a table that a query makes; `nil` if its rows are written as they are.
    func columns(of query: StorageQuery, _ format: RowFormat) throws -> SpreadColumns? {
        guard let limit = format.columnLimit,
            var columns = SpreadColumns(query.statement, limit: limit)
        else { return nil }
        let rows = try store.rows(of: query)
        defer { rows.end() }
        // A file has all of them, and a reader of a table waits for it.
        let most = format == .csv ? Int.max : Self.countedRows
        var count = 0
        while let row = try rows.next() {
            guard count < most else {
                columns.expectMore()
                break
            }
            columns.count(row)
            count += 1
        }
        return columns
    }

    /// The cells of a row.
    ///
    /// - Throws: `Failure` if a document got a new property after its columns were chosen.
    static func cells(
        of row: [QueryValue],
        in columns: SpreadColumns?
    ) throws(Failure) -> [QueryValue] {
        guard let columns else { return row }
        guard let cells = columns.spread(row) else {
            throw Failure(
                kind: .failed,
                sentence: "a document was changed while the query was running",
                hint: "run the query again"
            )
        }
        return cells
    }
}

extension RowFormat {
    /// Columns for the properties of a document; `nil` if it is written as an object.
    fileprivate var columnLimit: Int? {
        switch self {
        case .csv: 2_000
        case .table, .markdown: 100
        case .array, .lines: nil
        }
    }
}
