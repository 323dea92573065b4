internal import DivanDatabase
internal import DivanJSON
internal import DivanQuery

/// A query that was checked against a database: what every kind of query becomes before it runs.
struct RunnableQuery: Sendable {
    let database: Database
    let checked: CheckedStatement
    let parameters: [ExactText: QueryValue]
    /// The columns that are complete documents, as of `SELECT *`.
    let bodyColumns: [Int]

    /// Checks a text.
    ///
    /// - Throws: `QueryError`; `DivanError`.
    init(
        sql: String,
        _ parameters: [String: DocumentValue],
        of database: Database
    ) throws {
        try self.init(try QueryStatement(sql: sql), text: sql, parameters, of: database)
    }

    /// Checks a statement.
    ///
    /// - Throws: `QueryError`; `DivanError`.
    init(
        _ statement: QueryStatement,
        text: String? = nil,
        _ parameters: [String: DocumentValue] = [:],
        of database: Database
    ) throws {
        let catalogue = StoreCatalogue(try database.store(), named: ExactText(database.name))
        checked = try statement.checked(against: catalogue, text: text)
        self.database = database
        var values: [ExactText: QueryValue] = [:]
        for (name, value) in parameters { values[ExactText(name)] = .parameter(value.json) }
        self.parameters = values
        bodyColumns = statement.columns.indices.filter {
            if case .everything = statement.columns[$0].expression.form { true } else { false }
        }
        try requireParameters(parameters.keys)
    }

    private func requireParameters(_ given: some Sequence<String>) throws {
        let given = Set(given.map { ExactText($0) })
        for name in checked.parameters where !given.contains(name) && !name.text.hasPrefix("opt_") {
            throw DivanError(
                .invalidQuery,
                place: database.place,
                problem: "the parameter $\(name) has no value",
                remedy: "pass it, or let its name begin with opt_ if it may be missing"
            )
        }
    }

    /// The columns that all rows share.
    ///
    /// A column `*` is only one of the result if its documents were not spread over columns of their own.
    var columns: Columns {
        let titles = checked.columns.map(\.title.text)
        return Columns(
            titles,
            bodies: bodyColumns.filter { titles.indices.contains($0) },
            BlobContents(database: database.official)
        )
    }

    /// Calls `body` with each row as it is found: of the newest state, or of the one that `reader` sees.
    func forEachRow(
        _ control: QueryControl = QueryControl(),
        in reader: StoreReader? = nil,
        _ body: ([QueryValue]) throws -> Void
    ) throws {
        let query = StorageQuery(checked, parameters: parameters, control: control)
        if let reader { return try database.store().forEachRow(of: query, in: reader, body) }
        let rows = try database.store().rows(of: query)
        defer { rows.end() }
        while let row = try rows.next() { try body(row) }
    }

    /// All rows: of the newest state, or of the one that `reader` sees.
    func rows(
        _ control: QueryControl = QueryControl(),
        in reader: StoreReader? = nil
    ) throws -> Rows {
        var found: [[QueryValue]] = []
        try forEachRow(control, in: reader) { found.append($0) }
        return Rows(columns, found)
    }

    /// How it runs: the SQL, the steps of SQLite's plan, and notes.
    func explanation() throws -> String {
        let plan = try database.store().plan(of: StorageQuery(checked, parameters: parameters))
        return try ([plan.sql, ""] + plan.steps.map(\.text) + notes()).joined(separator: "\n")
    }
}
