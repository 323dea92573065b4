public import DivanDatabase
public import DivanJSON
public import DivanQuery

/// A checked query on a store.
public struct RESTQuery: Sendable {
    private let store: Store
    private let query: StorageQuery
    private let sight: QueryVisibility?

    /// Checks a query.
    ///
    /// - Parameters:
    ///   - statement: The query.
    ///   - text: The query in SQL++, in which errors have a position.
    ///   - store: The database to query.
    ///   - name: The database's name, which `FROM` can use for the default collection.
    ///   - parameters: Values of `$NAME`; others are MISSING.
    ///   - timeout: The time limit, from now on.
    ///   - memory: The memory budget.
    ///   - collections: The collections that the query can use; others do not exist for it.
    ///   - sight: The documents that the query can read; `nil` means all.
    /// - Throws: `QueryError`, `StoreError`.
    public init(
        _ statement: QueryStatement,
        _ text: String,
        of store: Store,
        named name: String,
        parameters: JSONObject = [:],
        timeout: Duration,
        memory: QueryMemory = .process,
        collections: [CollectionPath]? = nil,
        sight: QueryVisibility? = nil
    ) throws {
        store.purgeDue()
        self.store = store
        self.sight = sight
        let catalogue = LimitedCatalogue(
            whole: StoreCatalogue(store, named: ExactText(name)),
            collections: collections
        )
        let statement = try statement.checked(against: catalogue, text: text)
        // The default collection exists for every check, and so do its names.
        if let other = statement.everyCollection.first(where: { !catalogue.isAllowed($0) }) {
            throw QueryError("collection \(other.scope.text).\(other.name.text) not found")
        }
        var values: [ExactText: QueryValue] = [:]
        for (key, value) in parameters { values[ExactText(key)] = QueryValue(value) }
        let control = QueryControl(limit: timeout, memory: memory)
        query = StorageQuery(statement, parameters: values, control: control)
    }

    /// The query plan: `{"sql":…,"steps":[…]}`.
    public func plan() throws -> JSON {
        let plan = try store.plan(of: query)
        let steps = plan.steps.map { step -> JSON in
            ["id": JSON(step.id), "parent": JSON(step.parent), "text": .string(step.text)]
        }
        return ["sql": .string(plan.sql), "steps": .array(steps)]
    }

    /// Returns at most `limit` rows, and at most about `byteCount` bytes, with the column names:
    /// `{"columns":[…],"rows":[[…]],"more":…}`.
    ///
    /// The properties of whole documents have their own columns.
    public func table(limit: Int, byteCount: Int) throws -> JSON {
        let rows = try rows()
        defer { rows.end() }
        var columns = SpreadColumns(query.statement, limit: Self.spreadCount)
        var table: [[QueryValue]] = []
        var rest = byteCount
        var hasMore = false
        while let row = try rows.next() {
            guard table.count < limit, rest > 0 else {
                hasMore = true
                break
            }
            rest -= try Self.json(row).canonicalBytes(limits: JSONLimits(depth: .max)).count
            columns?.count(row)
            table.append(row)
        }
        let titles = columns?.titles ?? rows.titles.map(\.text)
        return [
            "columns": .array(titles.map { .string($0) }),
            "rows": .array(table.map { Self.json(columns?.spread($0) ?? $0) }),
            "more": .bool(hasMore),
        ]
    }

    /// Columns for the properties of a document; more share one.
    private static let spreadCount = 100

    private static func json(_ row: [QueryValue]) -> JSON {
        .array(row.map { $0.writableJSON ?? .null })
    }

    /// Stops it, and reports when its rows hinder the database.
    var control: QueryControl { query.control }

    func rows() throws -> StorageRows {
        guard let sight else { return try store.rows(of: query) }
        return try store.rows(of: query, in: sight)
    }
}

/// A database with the collections that a client may use.
private struct LimitedCatalogue: QueryCatalogue {
    let whole: StoreCatalogue
    let collections: [CollectionPath]?

    var databaseName: ExactText { whole.databaseName }

    func hasCollection(_ collection: QueryCollection) throws -> Bool {
        guard isAllowed(collection) else { return false }
        return try whole.hasCollection(collection)
    }

    func hasFullTextIndex(_ name: ExactText, in collection: QueryCollection) throws -> Bool {
        guard isAllowed(collection) else { return false }
        return try whole.hasFullTextIndex(name, in: collection)
    }

    func isAllowed(_ collection: QueryCollection) -> Bool {
        guard let collections else { return true }
        return CollectionPath(collection).map(collections.contains) ?? false
    }
}
