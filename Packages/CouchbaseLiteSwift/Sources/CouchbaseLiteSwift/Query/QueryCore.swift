import DivanDatabase
import DivanJSON
import DivanLog
import DivanQuery
import DivanRevisions
import Foundation
import Synchronization

/// State shared by all objects of one query: the statement, its checked form once needed, and the parameter values.
final class QueryCore: Sendable {
    let database: Database
    let statement: QueryStatement
    private let text: String?
    private let state: Mutex<State>

    private struct State {
        var checked: CheckedStatement?
        var parameters: Parameters?
        var live: [ObjectIdentifier: WeakLive] = [:]
        var isTraced = false
    }

    private struct WeakLive {
        weak var query: LiveQuery?
    }

    /// Parses and checks a text.
    init(sql text: String, of database: Database) throws {
        self.database = database
        self.text = text
        statement = try QueryStatement(sql: text)
        let checked = try statement.checked(against: database.catalogue(), text: text)
        state = Mutex(State(checked: checked))
        try refuseWhatIsTooDeep(checked)
    }

    /// Only SQLite can tell which depth it accepts, so deep statements are compiled as a test.
    private func refuseWhatIsTooDeep(_ checked: CheckedStatement) throws {
        guard statement.height > Self.surelyCompiledHeight else { return }
        do {
            _ = try database.openStore().plan(of: StorageQuery(checked))
        } catch let error as QueryError where error.offset == nil {
            throw QueryError(error.problem, code: error.code, at: statement.deepest, in: text)
        }
    }

    /// Levels of nested expressions that SQLite has always accepted.
    private static let surelyCompiledHeight = 6

    /// Takes a built statement, which is checked when needed.
    init(_ statement: QueryStatement, of database: Database) {
        self.database = database
        self.statement = statement
        text = nil
        state = Mutex(State())
    }

    var description: String { text ?? statement.sql }

    /// The parameter values, which no longer change.
    var parameters: Parameters? {
        get { state.withLock { $0.parameters } }
        set {
            let live = state.withLock { state in
                state.parameters = newValue
                state.live = state.live.filter { $0.value.query != nil }
                return state.live.values.compactMap(\.query)
            }
            for query in live { query.runAgain() }
        }
    }

    /// The checked statement.
    func checked() throws -> CheckedStatement {
        if let checked = state.withLock({ $0.checked }) { return checked }
        let checked = try statement.checked(against: database.catalogue())
        state.withLock { $0.checked = checked }
        return checked
    }

    /// Makes a live query rerun when the parameters change.
    func add(_ live: LiveQuery) {
        state.withLock { $0.live[ObjectIdentifier(live)] = WeakLive(query: live) }
    }

    func remove(_ live: LiveQuery) {
        state.withLock { $0.live[ObjectIdentifier(live)] = nil }
    }

    /// The statement with the values of its parameters.
    ///
    /// - Throws: `CBLError.notOpen`, checked first; `invalidQueryParam` for a value that no parameter takes or
    ///   that contains an infinite number or NaN.
    func bound(control: QueryControl = QueryControl()) throws -> StorageQuery {
        _ = try database.openStore()
        let checked = try checked()
        let values = try parameters?.bound() ?? [:]
        for name in values.keys.sorted() where !checked.parameters.contains(name) {
            throw QueryError(
                "Unknown query property '\(name)': the query has no parameter of that name",
                code: .invalidQueryParameter
            )
        }
        for name in checked.parameters where values[name] == nil && !name.text.hasPrefix("opt_") {
            Journal.query.warning(
                "Query: parameter $\(user: name) has no value, so it is MISSING; set it, or start its "
                    + "name with opt_"
            )
        }
        return StorageQuery(checked, parameters: values, control: control)
    }

    /// All current rows.
    func run(control: QueryControl = QueryControl()) throws -> [[QueryValue]] {
        try rows(of: bound(control: control))
    }

    /// All current rows, and what they depend on; `nil` if that is unknown or too much.
    func runTraced(
        control: QueryControl
    ) throws -> (rows: [[QueryValue]], origins: QueryDependencies.Origins?) {
        let query = try bound(control: control)
        guard let dependencies = QueryDependencies(query.statement) else {
            return (try rows(of: query), nil)
        }
        var rows = try rows(
            of: StorageQuery(dependencies.traced, parameters: query.parameters, control: control)
        )
        let origins = dependencies.takeOrigins(from: &rows)
        return (rows, origins)
    }

    /// Whether any of some changed documents may have become one of the rows that a run found.
    func reaches(
        _ documentIDs: Set<DivanRevisions.DocumentID>,
        _ origins: QueryDependencies.Origins,
        control: QueryControl
    ) throws -> Bool {
        let query = try bound(control: control)
        guard let dependencies = QueryDependencies(query.statement) else { return true }
        let probe = dependencies.probe(of: documentIDs, origins)
        return try !rows(
            of: StorageQuery(probe, parameters: query.parameters, control: control)
        ).isEmpty
    }

    private func rows(of query: StorageQuery) throws -> [[QueryValue]] {
        let store = try database.openStore()
        let trace = trace(query, in: store)
        let found = try store.rows(of: query)
        defer { found.end() }
        var rows: [[QueryValue]] = []
        while let row = try found.next() { rows.append(row) }
        trace?.end(rowCount: rows.count)
        return rows
    }

    /// The log entry for a run that begins now; `nil` if it would not be logged.
    func trace(_ query: StorageQuery, in store: Store) -> QueryTrace? {
        guard Journal.query.isVerbose else { return nil }
        let isFirst = state.withLock { state in
            defer { state.isTraced = true }
            return !state.isTraced
        }
        let trace = QueryTrace(statement)
        if isFirst { trace.log(try? store.plan(of: query)) }
        return trace
    }

    /// Rows as callers see them.
    func results(_ rows: [[QueryValue]]) throws -> ResultSet {
        let titles = try checked().columns.map(\.title)
        return ResultSet(rows, ResultColumns(titles), in: database)
    }

    /// How the query would be run.
    func explain() throws -> String {
        let store = try database.openStore()
        let plan = try store.plan(of: bound())
        let steps = plan.steps.map { "\($0.id)|\($0.parent)|0| \($0.text)" }
        return [plan.sql, steps.joined(separator: "\n"), statement.json.canonicalText]
            .joined(separator: "\n\n")
    }

    /// The collections that the query reads from.
    func collections() throws -> Set<CollectionPath> {
        let collections = try checked().everyCollection
        return Set(collections.compactMap { CollectionPath($0) })
    }
}

extension Database {
    /// The database as query checks see it.
    fileprivate func catalogue() throws -> StoreCatalogue {
        StoreCatalogue(try openStore(), named: ExactText(name))
    }
}

extension QueryError: NumberedError {
    /// Source: `sqlpp.md` §8.
    var number: ErrorNumber {
        switch code {
        case .failed: ErrorNumber(domain: "CouchbaseLite.SQLite", code: code.rawValue)
        case .invalidQuery, .missingIndex, .invalidQueryParameter: .divan(code.rawValue)
        }
    }
}
