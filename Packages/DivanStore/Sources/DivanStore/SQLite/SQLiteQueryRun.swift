internal import CDivanStore
internal import DivanJSON
internal import DivanQuery

/// A query that runs on a session; that must outlive it, in one transaction.
final class SQLiteQueryRun {
    let titles: [ExactText]
    private let session: SQLiteSession
    private let sql: String
    private let statement: SQLiteStatement
    private let watch: QueryWatch

    init(_ query: StorageQuery, on session: SQLiteSession) throws {
        let translation = try SQLTranslation(query.statement, schema: SQLiteQuerySchema(session))
        self.session = session
        sql = translation.sql
        titles = translation.titles
        watch = query.watch
        statement = try session.queries.take(sql) ?? Self.compile(sql, on: session)
        for (index, binding) in translation.bindings.enumerated() {
            try session.bind(
                binding,
                query.parameters,
                to: statement,
                at: Int32(clamping: index + 1)
            )
        }
        session.connection.watch(watch)
    }

    private static func compile(
        _ sql: String,
        on session: SQLiteSession
    ) throws -> SQLiteStatement {
        do throws(StoreError) {
            return try session.connection.prepare(sql)
        } catch {
            guard case .sqlite(_, let message) = error.code else { throw error }
            let isTooDeep =
                message.contains("parser stack overflow") || message.contains("Expression tree")
            guard isTooDeep else { throw error }
            throw QueryError("an expression is nested too deeply; divide it")
        }
    }

    /// The next row, or `nil` behind the last one.
    func next() throws -> [QueryValue]? {
        try watch.check(path: statement.path)
        do throws(StoreError) {
            return try statement.step() ? statement.values(count: titles.count) : nil
        } catch {
            // What SQLite reports of a query that was stopped is only that.
            try watch.check(path: statement.path)
            throw error
        }
    }

    /// What SQLite plans: the lines of `EXPLAIN QUERY PLAN`.
    static func plan(_ query: StorageQuery, on session: SQLiteSession) throws -> QueryPlan {
        let translation = try SQLTranslation(query.statement, schema: SQLiteQuerySchema(session))
        let statement = try compile("EXPLAIN QUERY PLAN " + translation.sql, on: session)
        var steps: [QueryPlan.Step] = []
        for (index, binding) in translation.bindings.enumerated() {
            try session.bind(
                binding,
                query.parameters,
                to: statement,
                at: Int32(clamping: index + 1)
            )
        }
        while try statement.step() {
            let step = QueryPlan.Step(
                id: Int(statement.integer(0)),
                parent: Int(statement.integer(1)),
                text: statement.text(3)
            )
            steps.append(step)
        }
        return QueryPlan(sql: translation.sql, steps: steps)
    }

    func end() {
        session.connection.watch(nil)
        statement.reset()
        session.queries.keep(statement, for: sql)
    }
}

extension SQLiteSession {
    fileprivate func bind(
        _ binding: SQLTranslation.Binding,
        _ parameters: [ExactText: QueryValue],
        to statement: SQLiteStatement,
        at index: Int32
    ) throws {
        switch binding {
        case .parameter(let name, let isExact):
            // A null stands for no value, as applications expect that use it for "no filter".
            let value = parameters[name] ?? .missing
            try statement.bind(value == .null ? .missing : value, isExact: isExact, at: index)
        case .text(let text): try statement.bind(text.text, at: index)
        case .double(let bits): try statement.bind(double: Double(bitPattern: bits), at: index)
        case .liveCount(let collection):
            let id = try SQLiteQuerySchema(self).id(of: collection)
            try statement.bind(Int64(state(of: id).liveCount), at: index)
        case .container(let text): try statement.bind(Array(text.text.utf8), at: index)
        }
    }

    func run(_ query: StorageQuery, _ body: ([QueryValue]) throws -> Void) throws {
        let run = try SQLiteQueryRun(query, on: self)
        defer { run.end() }
        while let row = try run.next() { try body(row) }
    }

    func plan(_ query: StorageQuery) throws -> QueryPlan {
        try SQLiteQueryRun.plan(query, on: self)
    }
}
