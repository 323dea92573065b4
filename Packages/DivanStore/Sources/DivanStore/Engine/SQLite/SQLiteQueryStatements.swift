internal import DivanQuery

/// Compiled queries of one connection that nobody runs, the latest last, and what is known of the
/// plans of some.
final class SQLiteQueryStatements {
    private var statements: [(sql: String, statement: SQLiteStatement)] = []
    private var scans: [(query: CheckedStatement, schema: Int64, isScan: Bool)] = []

    /// Takes the statement with this text away, if there is one.
    func take(_ sql: String) -> SQLiteStatement? {
        guard let index = statements.lastIndex(where: { $0.sql == sql }) else { return nil }
        return statements.remove(at: index).statement
    }

    /// Keeps a statement; of too many the oldest goes.
    func keep(_ statement: SQLiteStatement, for sql: String) {
        if statements.count == StoreLimits.keptQueryCount { statements.removeFirst() }
        statements.append((sql, statement))
    }

    /// Whether a query scans its rows, found out once for each version of the schema.
    func isScan(
        _ query: CheckedStatement,
        schema: Int64,
        _ find: () throws -> Bool
    ) rethrows -> Bool {
        if let known = scans.last(where: { $0.schema == schema && $0.query == query }) {
            return known.isScan
        }
        let isScan = try find()
        if scans.count == StoreLimits.keptQueryCount { scans.removeFirst() }
        scans.append((query, schema, isScan))
        return isScan
    }

    func forget() {
        statements = []
        scans = []
    }
}
