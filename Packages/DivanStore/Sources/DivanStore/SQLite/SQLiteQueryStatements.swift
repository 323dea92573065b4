/// Compiled queries of one connection that nobody runs, the latest last.
final class SQLiteQueryStatements {
    private var statements: [(sql: String, statement: SQLiteStatement)] = []

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

    func forget() {
        statements = []
    }
}
