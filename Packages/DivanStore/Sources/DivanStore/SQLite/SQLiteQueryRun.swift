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
        statement = try session.queries.take(sql) ?? Self.compile(sql, on: session.connection)
        try statement.bind(translation, query.parameters, session.liveCount(of:))
        session.connection.watch(watch)
    }

    static func compile(
        _ sql: String,
        on connection: SQLiteConnection
    ) throws -> SQLiteStatement {
        do throws(StoreError) {
            return try connection.prepare(sql)
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
        let sql = "EXPLAIN QUERY PLAN " + translation.sql
        let statement = try compile(sql, on: session.connection)
        var steps: [QueryPlan.Step] = []
        try statement.bind(translation, query.parameters, session.liveCount(of:))
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

    /// Ends the run; the compiled statement is kept for the next one, unless it has no other.
    func end(isKept: Bool = true) {
        session.connection.watch(nil)
        statement.reset()
        if isKept { session.queries.keep(statement, for: sql) }
    }
}

extension SQLiteStatement {
    /// Binds what a translation and the values of its parameters say.
    func bind(
        _ translation: SQLTranslation,
        _ parameters: [ExactText: QueryValue],
        _ liveCount: (QueryCollection) throws -> Int
    ) throws {
        for (offset, binding) in translation.bindings.enumerated() {
            let index = Int32(clamping: offset + 1)
            switch binding {
            case .parameter(let name, let isExact):
                // A null stands for no value, as applications expect that use it for "no filter".
                let value = parameters[name] ?? .missing
                try bind(value == .null ? .missing : value, isExact: isExact, at: index)
            case .text(let text): try bind(text.text, at: index)
            case .double(let bits): try bind(double: Double(bitPattern: bits), at: index)
            case .liveCount(let collection):
                try bind(Int64(try liveCount(collection)), at: index)
            case .container(let text): try bind(Array(text.text.utf8), at: index)
            }
        }
    }
}

extension SQLiteSession {
    /// How many live documents a collection has.
    fileprivate func liveCount(of collection: QueryCollection) throws -> Int {
        try state(of: SQLiteQuerySchema(self).id(of: collection)).liveCount
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
