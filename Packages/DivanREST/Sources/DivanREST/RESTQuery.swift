public import DivanJSON
import DivanQuery
public import DivanStore

/// A question to a store, checked.
public struct RESTQuery: Sendable {
    private let store: Store
    private let query: StorageQuery
    private let sight: QuerySight?

    /// Reads and checks a question.
    ///
    /// - Parameters:
    ///   - text: SQL++.
    ///   - store: Who is asked.
    ///   - name: The database's name, as which `FROM` may speak of the default collection.
    ///   - parameters: Values of `$NAME`; those that are left out are MISSING.
    ///   - timeout: How long it may run, from now on.
    ///   - memory: Of which it takes what it needs.
    ///   - collections: The only ones that it may ask; the others are not there for it.
    ///   - sight: The only documents that there are for it; `nil` means all.
    /// - Throws: `QueryError`, `StoreError`.
    public init(
        _ text: String,
        of store: Store,
        named name: String,
        parameters: JSONObject = [:],
        timeout: Duration,
        memory: QueryMemory = .process,
        collections: [CollectionPath]? = nil,
        sight: QuerySight? = nil
    ) throws {
        self.store = store
        self.sight = sight
        let catalogue = LimitedCatalogue(
            whole: StoreCatalogue(store, named: ExactText(name)),
            collections: collections
        )
        let statement = try QueryStatement(sql: text).checked(against: catalogue, text: text)
        // The default collection is there for every check, and so are its names.
        if let other = statement.everyCollection.first(where: { !catalogue.isAllowed($0) }) {
            throw QueryError("there is no collection \(other.scope.text).\(other.name.text)")
        }
        var values: [ExactText: QueryValue] = [:]
        for (key, value) in parameters { values[ExactText(key)] = QueryValue(value) }
        let watch = QueryWatch(limit: timeout, memory: memory)
        query = StorageQuery(statement, parameters: values, watch: watch)
    }

    /// How it would be run: `{"sql":…,"steps":[…]}`.
    public func plan() throws -> JSON {
        let plan = try store.plan(of: query)
        let steps = plan.steps.map { step -> JSON in
            ["id": JSON(step.id), "parent": JSON(step.parent), "text": .string(step.text)]
        }
        return ["sql": .string(plan.sql), "steps": .array(steps)]
    }

    /// At most `limit` rows, and no more than `byteCount` bytes of them and one row, with the titles of the
    /// columns: `{"columns":[…],"rows":[[…]],"more":…}`.
    public func table(limit: Int, byteCount: Int) throws -> JSON {
        let rows = try rows()
        defer { rows.end() }
        var table: [JSON] = []
        var rest = byteCount
        var hasMore = false
        while let row = try rows.next() {
            guard table.count < limit, rest > 0 else {
                hasMore = true
                break
            }
            let json = JSON.array(row.map { $0.writableJSON ?? .null })
            rest -= try json.canonicalBytes(limits: JSONLimits(depth: .max)).count
            table.append(json)
        }
        return [
            "columns": .array(rows.titles.map { .string($0.text) }), "rows": .array(table),
            "more": .bool(hasMore),
        ]
    }

    /// Stops it, and tells when its rows are in the way of the database.
    var watch: QueryWatch { query.watch }

    func rows() throws -> StorageRows {
        guard let sight else { return try store.rows(of: query) }
        return try store.rows(of: query, in: sight)
    }
}

/// A database of which a client may use some collections.
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
