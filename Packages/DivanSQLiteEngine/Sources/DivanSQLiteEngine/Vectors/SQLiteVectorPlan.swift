internal import DivanQuery
internal import DivanSQL
internal import DivanSQLite
internal import DivanStorage

/// Adds what vector searches do to the plan of a query.
///
/// For SQLite, a search is a function whose result is a table.
struct SQLiteVectorPlan {
    private let statement: CheckedStatement
    private let filter: String?
    private let schema: SQLiteQuerySchema
    private let plain: [QueryPlan.Step]

    init(
        of statement: CheckedStatement,
        _ translation: SQLTranslation,
        _ schema: SQLiteQuerySchema,
        _ plain: [QueryPlan.Step]
    ) {
        (self.statement, self.schema, self.plain) = (statement, schema, plain)
        filter = translation.nearestFilter
    }

    /// The steps of SQLite's plan, with those of the searches.
    func steps(on connection: StoreConnection) throws -> [QueryPlan.Step] {
        guard !statement.vectorSearches.isEmpty else { return plain }
        var steps = plain
        for (number, search) in statement.vectorSearches.enumerated() {
            if let place = place(of: "sk\(number)") {
                let count = search.nearestCount ?? 0
                let (verb, extent) = try extent(of: search, count, on: connection)
                let step = plain[place]
                steps[place] = .init(
                    id: step.id,
                    parent: step.parent,
                    text: "\(verb) sk\(number) FOR \(count) NEAREST (\(extent))"
                )
                steps.insert(contentsOf: try filtering(step.id, on: connection), at: place + 1)
            } else if let place = place(of: "sn\(number)") {
                let step = plain[place]
                let text = "\(step.text), EXACT DISTANCE OF EACH ROW"
                steps[place] = .init(id: step.id, parent: step.parent, text: text)
            }
        }
        return steps
    }

    /// The step that reads a table.
    private func place(of table: String) -> Int? {
        plain.firstIndex { $0.text.split(separator: " ").dropFirst().first == table[...] }
    }

    /// How much of the index a search reads, and whether it can miss neighbours.
    private func extent(
        of search: CheckedVectorSearch,
        _ count: Int,
        on connection: StoreConnection
    ) throws -> (verb: String, extent: String) {
        guard case .documents(let collection) = statement.sources[search.source].form else {
            throw QueryError("a vector search needs a collection")
        }
        let table = try schema.vectorTable(search.index, in: collection).name
        let head = try SQLiteVectorIndex.Head(table, on: connection)
        guard head.state != nil else { return ("SCAN", "exact, the index is not trained") }
        let index = SQLiteVectorIndex(table, head.options, head.state)
        let all = head.options.centroidCount
        if index.missesNone(isExact: search.isExact, hasFilter: filter != nil) {
            return (search.isExact ? "SCAN" : "SEARCH", "exact, all \(all) centroids")
        }
        let chosen = search.probeCount ?? head.options.probeCount
        let probes =
            chosen > 0
            ? min(chosen, all) : index.probeCount(for: Double(count))
        let least = filter == nil ? "" : "at least "
        return ("SEARCH", "approximate, \(least)\(probes) of \(all) centroids")
    }

    /// When the other conditions are tested.
    private func filtering(
        _ parent: Int,
        on connection: StoreConnection
    ) throws -> [QueryPlan.Step] {
        guard let filter else { return [] }
        let first = 1 + (plain.map(\.id).max() ?? 0)
        let found = try connection.plan(of: filter)
        guard SQLiteVectorFilter.isIndexed(found) else {
            return [.init(id: first, parent: parent, text: "FILTER DURING THE SEARCH")]
        }
        let limit = SQLiteEngineLimits.fewFilteredVectorCount
        let isFew = "IF AT MOST \(limit) DOCUMENTS MATCH, EXACT DISTANCE OF EACH"
        return [.init(id: first, parent: parent, text: "FILTER FIRST \(isFew)")]
            + found.map { step in
                .init(id: first + step.id, parent: first + step.parent, text: step.text)
            }
            + [
                .init(
                    id: 1 + first + (found.map(\.id).max() ?? 0),
                    parent: parent,
                    text: "OTHERWISE FILTER DURING THE SEARCH"
                )
            ]
    }
}
