public import DivanQuery
internal import DivanRevisions

/// Documents of an engine that is none of SQLite's, in a private database of SQLite that answers
/// queries about them.
final class QueryMirror {
    private let session: SQLiteSession

    /// Copies the documents of the collections that a query reads.
    init(of snapshot: some StorageSnapshot, for statement: CheckedStatement) throws {
        let connection = try SQLiteConnection(path: ":memory:", mode: .memory)
        try SQLiteSchema.create(on: connection)
        session = try SQLiteSession(connection)
        for collection in Set(statement.everyCollection) {
            guard let path = CollectionPath(collection), let id = try snapshot.collection(path)
            else { continue }
            try session.adopt(path, id)
            try snapshot.forEachRow(in: id) { try session.put($0.get(), in: id) }
            let state = try snapshot.state(of: id)
            try session.setState(state)
            try session.adopt(snapshot.indexRecords(of: id), of: id)
        }
    }

    func run(_ query: StorageQuery, _ body: ([QueryValue]) throws -> Void) throws {
        try session.run(query, body)
    }

    func plan(_ query: StorageQuery) throws -> QueryPlan {
        try session.plan(query)
    }
}

extension CheckedStatement {
    /// The collections that it and its sub-queries read.
    public var everyCollection: [QueryCollection] {
        var found: [QueryCollection] = []
        for source in sources {
            if case .documents(let collection) = source.form { found.append(collection) }
        }
        var rest = everyExpression
        while let expression = rest.popLast() {
            if case .exists(let statement) = expression { found += statement.everyCollection }
            rest += expression.children
        }
        return found
    }

    private var everyExpression: [CheckedExpression] {
        columns.map(\.expression) + sources.compactMap(\.condition) + [filter].compactMap(\.self)
            + groups.map(\.expression) + [groupFilter, limit, offset].compactMap(\.self)
            + orderings.map(\.key.expression) + matches.map(\.text)
    }
}

extension StorageSnapshot {
    /// Copies the documents of the query's collections.
    public func run(
        _ query: StorageQuery,
        _ body: ([QueryValue]) throws -> Void
    ) throws {
        try QueryMirror(of: self, for: query.statement).run(query, body)
    }

    /// Copies the documents of the query's collections.
    public func plan(_ query: StorageQuery) throws -> QueryPlan {
        try QueryMirror(of: self, for: query.statement).plan(query)
    }
}

extension StorageEngine {
    /// Reads all rows first.
    public func rows(of query: StorageQuery) throws -> StorageRows {
        let rows = try read { snapshot in
            var rows: [[QueryValue]] = []
            try snapshot.run(query) { rows.append($0) }
            return rows
        }
        var iterator = rows.makeIterator()
        return StorageRows(titles: query.statement.columns.map(\.title)) { iterator.next() }
    }
}
