import DivanJSON
import DivanQuery
import Synchronization

/// The rows of a query result, which can be iterated once.
///
/// It is a snapshot: later saves do not change it. After the last row, ``next()`` returns `nil` and ``allResults()`` is
/// empty. Safe to use from any thread; each row is returned once.
///
/// Source: `sqlpp.md` §11.
public final class ResultSet: Sequence, IteratorProtocol, Sendable {
    /// A row.
    public typealias Element = Result

    private let rows: [[QueryValue]]
    private let columns: ResultColumns
    private let database: Database
    private let position = Mutex(0)

    init(_ rows: [[QueryValue]], _ columns: ResultColumns, in database: Database) {
        self.rows = rows
        self.columns = columns
        self.database = database
    }

    /// All rows as the store returned them.
    var storedRows: [[QueryValue]] { rows }

    /// Returns the next row, or `nil` after the last one.
    public func next() -> Result? {
        let index: Int? = position.withLock { position in
            guard position < rows.count else { return nil }
            defer { position += 1 }
            return position
        }
        return index.map { Result(rows[$0], columns, in: database) }
    }

    /// Returns the remaining rows.
    public func allResults() -> [Result] {
        let start = position.withLock { position in
            defer { position = rows.count }
            return position
        }
        return rows[start...].map { Result($0, columns, in: database) }
    }
}
