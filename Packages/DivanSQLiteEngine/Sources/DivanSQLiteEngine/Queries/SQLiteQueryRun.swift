internal import CDivanSQLiteEngine
internal import DivanJSON
public import DivanQuery
internal import DivanSQL
internal import DivanSQLite
public import DivanStorage

/// A query that runs on a session, which must outlive it, in one transaction.
final class SQLiteQueryRun {
    let titles: [ExactText]
    private let session: SQLiteSession
    private let sql: String
    private let statement: StoreStatement
    private let control: QueryControl
    /// Stops functions within a step.
    private let stop: FunctionStop
    /// What it may hold; unlimited in a transaction that writes, which SQLite would roll back with the query.
    private let allowance: SQLiteMemoryQuota?
    private let isKept: Bool

    /// Begins a query; its resources are kept for the next run, if there will be one.
    init(_ query: StorageQuery, on session: SQLiteSession, isKept: Bool = true) throws {
        try session.pages.keepMore(on: session.connection)
        let allowance = session.allowance(for: query)
        let (translation, statement) = try session.prepare(
            query.statement,
            isKept: isKept,
            within: allowance
        )
        self.session = session
        self.statement = statement
        self.isKept = isKept
        sql = translation.sql
        titles = translation.titles
        let control = query.control
        self.control = control
        stop = FunctionStop { control.mustStop }
        self.allowance = allowance
        try statement.bind(translation, query.parameters, session.liveCount(of:))
        session.connection.setControl(control)
    }

    /// Translates and compiles a query, prefixed by `prefix`; one that is too deep for SQLite is
    /// divided.
    ///
    /// - Throws: What SQLite rejects; `QueryError` for a query that is too deep even in pieces.
    static func prepare(
        _ query: CheckedStatement,
        schema: some SQLSchema,
        on connection: StoreConnection,
        prefix: String = "",
        within allowance: SQLiteMemoryQuota? = nil,
        kept: (String) -> StoreStatement? = { _ in nil }
    ) throws -> (SQLTranslation, StoreStatement) {
        for isDivided in [false, true] {
            let translation = try SQLTranslation(query, schema: schema, isDivided: isDivided)
            if let statement = kept(translation.sql) { return (translation, statement) }
            do {
                let sql = prefix + translation.sql
                return (translation, try connection.prepare(sql, within: allowance))
            } catch let error as StoreError where error.isTooDeep {}
        }
        throw QueryError.tooDeep
    }

    /// The next row, or `nil` after the last one.
    func next() throws -> [QueryValue]? {
        if control.mustStop { try control.check(path: statement.path) }
        do throws(StoreError) {
            guard try step() else { return nil }
        } catch {
            try allowance?.check(path: statement.path)
            // What SQLite reports of a query that was stopped is only the interruption.
            try control.check(path: statement.path)
            throw error.asRefusalByFunction ?? error
        }
        return statement.values(count: titles.count)
    }

    /// Whether there is another row.
    private func step() throws(StoreError) -> Bool {
        let isRow = try stop.within { () throws(StoreError) in
            guard let allowance else { return try statement.step() }
            return try allowance.within { () throws(StoreError) in try statement.step() }
        }
        // An order may have been wrong since.
        if stop.wasStopped {
            throw StoreError(.sqlite(SQLITE_INTERRUPT, "interrupted"), at: statement.path)
        }
        return isRow
    }

    /// SQLite's plan, with the names that users know.
    static func plan(_ query: StorageQuery, on session: SQLiteSession) throws -> QueryPlan {
        let schema = SQLiteQuerySchema(session)
        let (translation, plain) = try steps(of: query, schema, on: session)
        let steps = try SQLiteVectorPlan(of: query.statement, translation, schema, plain)
            .steps(on: session.connection)
        let names = try PlanNames(of: query.statement, in: schema)
        var indexes: [ExactText] = []
        for index in steps.flatMap({ names.indexes(in: $0.text) })
        where !indexes.contains(index) { indexes.append(index) }
        return QueryPlan(
            sql: names.statement(translation.sql),
            steps: steps.map { step in
                QueryPlan.Step(id: step.id, parent: step.parent, text: names.step(step.text))
            },
            indexes: indexes
        )
    }

    /// The statement, and the lines of `EXPLAIN QUERY PLAN`.
    static func steps(
        of query: StorageQuery,
        _ schema: SQLiteQuerySchema,
        on session: SQLiteSession
    ) throws -> (translation: SQLTranslation, steps: [QueryPlan.Step]) {
        let (translation, statement) = try prepare(
            query.statement,
            schema: schema,
            on: session.connection,
            prefix: "EXPLAIN QUERY PLAN ",
            within: session.allowance(for: query)
        )
        try statement.bind(translation, query.parameters, session.liveCount(of:))
        return (translation, try statement.planSteps())
    }

    /// Ends the run.
    func end() {
        session.connection.setControl(nil)
        statement.reset()
        guard isKept else { return }
        // Its parameters may be as long as a document, and it may not run again.
        statement.clearBindings()
        session.queries.keep(statement, for: sql)
    }
}

extension StoreError {
    /// Whether SQLite rejected a text because its parentheses are nested too deeply.
    public var isTooDeep: Bool {
        guard case .sqlite(_, let message) = code else { return false }
        return message.contains("parser stack overflow") || message.contains("Expression tree")
    }

    /// What a function of the language said about its arguments, such as a malformed regular expression.
    ///
    /// That is the caller's mistake; SQLite's plain error has no other cause while a statement runs.
    var asRefusalByFunction: QueryError? {
        guard case .sqlite(1, let message) = code else { return nil }
        return QueryError(message, code: .failed)
    }
}

extension QueryError {
    /// More levels than SQLite accepts.
    public static var tooDeep: QueryError {
        QueryError("an expression is nested too deeply; simplify it")
    }
}

extension StoreConnection {
    /// The lines of `EXPLAIN QUERY PLAN` for a statement.
    func plan(of sql: String) throws(StoreError) -> [QueryPlan.Step] {
        try prepare("EXPLAIN QUERY PLAN \(sql)").planSteps()
    }
}

extension StoreStatement {
    /// The lines of `EXPLAIN QUERY PLAN`, which this statement begins with.
    fileprivate func planSteps() throws(StoreError) -> [QueryPlan.Step] {
        var steps: [QueryPlan.Step] = []
        while try step() {
            let (id, parent) = (Int(clamping: integer(0)), Int(clamping: integer(1)))
            steps.append(QueryPlan.Step(id: id, parent: parent, text: text(3)))
        }
        return steps
    }

    /// Binds the values of a translation and of its parameters.
    func bind(
        _ translation: SQLTranslation,
        _ parameters: [ExactText: QueryValue],
        _ liveCount: (QueryCollection) throws -> Int
    ) throws {
        for (offset, binding) in translation.bindings.enumerated() {
            let index = Int32(clamping: offset + 1)
            switch binding {
            case .parameter(let name, let isExact):
                // A null means no value, as expected by applications that use it for "no filter".
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
    /// A query with its statement; it is not translated again under a schema that it was run with before.
    fileprivate func prepare(
        _ query: CheckedStatement,
        isKept: Bool,
        within allowance: SQLiteMemoryQuota?
    ) throws -> (SQLTranslation, StoreStatement) {
        let version = isKept ? try connection.schemaVersion() : nil
        if let version, let translation = queries[query, version].translation {
            let kept = queries.take(translation.sql)
            return (
                translation, try kept ?? connection.prepare(translation.sql, within: allowance)
            )
        }
        let prepared = try SQLiteQueryRun.prepare(
            query,
            schema: SQLiteQuerySchema(self),
            on: connection,
            within: allowance,
            kept: queries.take
        )
        if let version { queries[query, version].translation = prepared.0 }
        return prepared
    }

    /// What a query may hold, including its compiled statement; `nil` in a transaction that writes,
    /// which SQLite would roll back with the query.
    fileprivate func allowance(for query: StorageQuery) -> SQLiteMemoryQuota? {
        connection.isWriting ? nil : SQLiteMemoryQuota(query.control)
    }

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

extension StoreConnection {
    /// Compiles a statement, whose memory counts towards an allowance.
    ///
    /// - Throws: `QueryStop` if that is used up, and what SQLite rejects.
    fileprivate func prepare(
        _ sql: String,
        within allowance: SQLiteMemoryQuota?
    ) throws -> StoreStatement {
        guard let allowance else { return try prepare(sql) }
        do throws(StoreError) {
            return try allowance.within { () throws(StoreError) in try prepare(sql) }
        } catch {
            try allowance.check(path: path)
            throw error
        }
    }
}

extension SQLTranslation {
    /// Bytes of its text and of the literals bound to it: what is kept for it takes some ten times as many.
    var byteCount: Int {
        bindings.reduce(sql.utf8.count) { sum, binding in
            switch binding {
            case .text(let text), .container(let text): sum + text.text.utf8.count
            case .parameter, .double, .liveCount: sum
            }
        }
    }
}
