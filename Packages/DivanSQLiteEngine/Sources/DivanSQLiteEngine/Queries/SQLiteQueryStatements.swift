internal import DivanQuery
internal import DivanSQL
internal import DivanSQLite
internal import DivanStorage

/// Idle compiled queries of one connection, the latest last, and what is known of some queries
/// under one version of the schema, which changes with each collection and index.
final class SQLiteQueryStatements {
    /// What is known of a query.
    struct Known {
        fileprivate let query: CheckedStatement
        fileprivate let schema: Int64
        var translation: SQLTranslation?
        /// Whether it reads all rows of its first source.
        var isScan: Bool?
    }

    /// The version of the snapshot's schema, once requested.
    var schemaVersion: Int64?
    private var statements: [(sql: String, statement: StoreStatement)] = []
    private var known: [Known] = []

    /// Removes and returns the statement with this text, if there is one.
    func take(_ sql: String) -> StoreStatement? {
        guard let index = statements.lastIndex(where: { $0.sql == sql }) else { return nil }
        return statements.remove(at: index).statement
    }

    /// Keeps a statement that is not too long; if there are too many, the oldest is dropped.
    func keep(_ statement: StoreStatement, for sql: String) {
        guard sql.utf8.count <= SQLiteEngineLimits.keptQueryByteCount else { return }
        if statements.count == SQLiteEngineLimits.keptQueryCount { statements.removeFirst() }
        statements.append((sql, statement))
    }

    /// What is known of a query; if there are too many, the least recently used is dropped.
    subscript(query: CheckedStatement, schema: Int64) -> Known {
        get {
            guard let place = place(of: query, schema) else {
                return Known(query: query, schema: schema)
            }
            if place < known.count - 1 { known.append(known.remove(at: place)) }
            return known[known.count - 1]
        }
        set {
            if let place = place(of: query, schema) { known.remove(at: place) }
            let byteCount = newValue.translation?.byteCount ?? 0
            guard byteCount <= SQLiteEngineLimits.keptQueryByteCount else { return }
            if known.count == SQLiteEngineLimits.keptQueryCount { known.removeFirst() }
            known.append(newValue)
        }
    }

    private func place(of query: CheckedStatement, _ schema: Int64) -> Int? {
        known.lastIndex { $0.schema == schema && $0.query == query }
    }

    func forget() {
        statements = []
        known = []
    }
}
