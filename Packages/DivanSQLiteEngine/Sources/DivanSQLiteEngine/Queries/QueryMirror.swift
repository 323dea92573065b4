public import DivanQuery
public import DivanRevisions
internal import DivanSQLite
public import DivanStorage

/// Documents in a private SQLite database that answers queries about them: those of an engine that is
/// not SQLite, or those that somebody may see.
public final class QueryMirror {
    private let session: SQLiteSession

    /// Copies the documents of the collections that a query reads.
    ///
    /// If `sight` or `documentIDs` is given, copies only those documents.
    public init(
        of snapshot: some StorageSnapshot,
        for query: StorageQuery,
        in sight: QueryVisibility? = nil,
        among documentIDs: [DocumentID]? = nil
    ) throws {
        let connection = try StoreConnection(path: ":memory:", mode: .memory)
        try SQLiteSchema.create(on: connection)
        session = try SQLiteSession(connection)
        var byteCount = 0
        for collection in Set(query.statement.everyCollection) {
            guard let path = CollectionPath(collection), let id = try snapshot.collection(path)
            else { continue }
            try session.adopt(path, id)
            if let sight {
                try copy(id, of: snapshot, in: sight, query.control, &byteCount)
            } else if let documentIDs {
                for documentID in documentIDs {
                    try query.control.check(path: "")
                    let row = try snapshot.row(documentID, in: id, content: .whole)
                    if let row { try session.put(row, in: id) }
                }
                try session.setState(snapshot.state(of: id))
            } else {
                try snapshot.forEachRow(in: id) { try session.put($0.get(), in: id) }
                try session.setState(snapshot.state(of: id))
            }
            try session.adopt(snapshot.indexRecords(of: id), of: id)
        }
    }

    /// Copies no documents, only the collections and indexes, and adds indexes that do not exist.
    public init(
        planning query: StorageQuery,
        on snapshot: some StorageSnapshot,
        supposing indexes: [HypotheticalIndex]
    ) throws {
        let connection = try StoreConnection(path: ":memory:", mode: .memory)
        try SQLiteSchema.create(on: connection)
        session = try SQLiteSession(connection)
        for collection in Set(query.statement.everyCollection) {
            guard let path = CollectionPath(collection), let id = try snapshot.collection(path)
            else { continue }
            try session.adopt(path, id)
            var records = try snapshot.indexRecords(of: id)
            for index in indexes where index.collection == path {
                let record = try IndexRecord(index.name, index.definition, source: "", of: id)
                if !records.contains(where: { $0.serves(record) }) { records.append(record) }
            }
            try session.adopt(records, of: id)
        }
    }

    /// Copies what is in sight; sequences are assigned anew, since gaps would reveal the others.
    private func copy(
        _ id: CollectionID,
        of snapshot: some StorageSnapshot,
        in sight: QueryVisibility,
        _ control: QueryControl,
        _ byteCount: inout Int
    ) throws {
        var state = CollectionState(id: id)
        try snapshot.forEachRow(in: id) { result in
            try control.check(path: "")
            // A damaged document cannot be judged.
            guard case .success(var row) = result, sight.contains(row) else { return }
            // A tombstone that a peer sent may have a body; only its being a tombstone is in sight.
            if row.flags.contains(.tombstone) {
                row.body = Array("{}".utf8)
                row.bodyByteCount = row.body.count
            }
            byteCount += row.body.count
            guard byteCount <= sight.byteLimit else {
                throw QueryError(
                    "the documents that you can access exceed \(sight.byteLimit) bytes; read them "
                        + "as a list or a changes feed instead"
                )
            }
            state.lastSequence += 1
            if !row.flags.contains(.tombstone) { state.liveCount += 1 }
            row.sequence = state.lastSequence
            row.tree = .single(knownAt: nil)
            try session.put(row, in: id)
        }
        try session.setState(state)
    }

    /// Begins a query; its rows keep the mirror alive.
    public func rows(of query: StorageQuery) throws -> StorageRows {
        let run = try SQLiteQueryRun(query, on: session, isKept: false)
        return StorageRows(titles: run.titles, next: run.next) { run.end() }
    }

    /// Calls `body` with each row of a query on the copy.
    func run(_ query: StorageQuery, _ body: ([QueryValue]) throws -> Void) throws {
        try session.run(query, body)
    }

    /// The plan of a query on the copy.
    public func plan(_ query: StorageQuery) throws -> QueryPlan {
        try session.plan(query)
    }
}

extension StorageSnapshot {
    /// Runs a query on a copy of its documents, for an engine that runs no queries itself.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - documentIDs: The documents that can be in the result, as the engine's own index says, for a query of one
    ///     collection with a condition; `nil` for all.
    ///   - body: Called with each row.
    /// - Throws: `StoreError`, `QueryError` and `QueryStop`; what `body` throws.
    public func runOnCopy(
        _ query: StorageQuery,
        among documentIDs: [DocumentID]? = nil,
        _ body: ([QueryValue]) throws -> Void
    ) throws {
        try QueryMirror(of: self, for: query, among: documentIDs).run(query, body)
    }

    /// The plan of a query on a copy of its documents.
    ///
    /// - Throws: As ``runOnCopy(_:among:_:)``.
    public func planOnCopy(_ query: StorageQuery) throws -> QueryPlan {
        try QueryMirror(of: self, for: query).plan(query)
    }
}
