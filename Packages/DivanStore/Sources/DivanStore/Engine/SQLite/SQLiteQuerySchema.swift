internal import DivanJSON
internal import DivanQuery

/// The tables of one snapshot, for the translation of a query.
final class SQLiteQuerySchema: SQLSchema {
    private let session: SQLiteSession
    private var records: [CollectionID: [IndexRecord]] = [:]

    init(_ session: SQLiteSession) {
        self.session = session
    }

    func table(of collection: QueryCollection) throws -> String {
        SQLiteSchema.table(try id(of: collection))
    }

    /// A transaction writes the counters when it ends; until then documents are counted.
    var knowsLiveCounts: Bool { !session.connection.isWriting }

    func itemTable(of collection: QueryCollection, _ paths: [QueryPath]) throws -> String? {
        let id = try id(of: collection)
        let name = SQLIndexTranslation.itemTable(of: SQLiteSchema.table(id), paths)
        let isKept = try records(of: id).contains { $0.tables.contains { $0.name == name } }
        return isKept ? name : nil
    }

    func fullTextTable(
        _ index: ExactText,
        in collection: QueryCollection
    ) throws -> SQLFullTextTable {
        let record = try records(of: id(of: collection)).first {
            $0.kind == .fullText && $0.name == index
        }
        guard let record, let table = record.tables.first else {
            throw QueryError("'match' test requires a full-text index", code: .missingIndex)
        }
        return SQLFullTextTable(name: table.name, columns: record.columns)
    }

    /// Those of whole collections: of part of the documents no query gets all its groups.
    func valueIndexes(of collection: QueryCollection) throws -> [[String]] {
        try records(of: collection).filter { $0.kind == .value && $0.isWhole }.map(\.keys)
    }

    /// The indexes of a collection.
    func records(of collection: QueryCollection) throws -> [IndexRecord] {
        try records(of: id(of: collection))
    }

    private func records(of collection: CollectionID) throws(StoreError) -> [IndexRecord] {
        if let known = records[collection] { return known }
        let found = try session.indexRecords(of: collection)
        records[collection] = found
        return found
    }

    func id(of collection: QueryCollection) throws -> CollectionID {
        guard let path = CollectionPath(collection), let id = try session.collection(path) else {
            let name = "\(collection.scope.text).\(collection.name.text)"
            throw QueryError("no such collection \"\(name)\"")
        }
        return id
    }
}

extension SQLiteSession {
    /// Makes the table of a collection under a number that another engine gave.
    func adopt(_ path: CollectionPath, _ id: CollectionID) throws(StoreError) {
        // Names of collections are made of letters, digits and three other characters.
        try connection.execute(
            """
            INSERT INTO collections (id, scope, name, lastSequence, liveCount)
            VALUES (\(id.rawValue), '\(path.scope)', '\(path.name)', 0, 0);
            \(SQLiteSchema.createTable(id))
            """
        )
    }

    /// Makes the indexes of the catalogue of another engine.
    func adopt(_ records: [IndexRecord], of collection: CollectionID) throws(StoreError) {
        var made: [String] = []
        for record in records {
            for table in record.tables where !made.contains(table.name) {
                try changeIndexes(table.create)
                made.append(table.name)
            }
            try changeIndexes(record.create)
            let key = IndexRecord.key(record.name, in: collection)
            try setValue(record.value, for: key, in: .indexes)
        }
    }

    func removeIndexes(
        of collection: CollectionID,
        except names: [String]
    ) throws(StoreError) {
        for index in try connection.texts(SQLiteSchema.madeIndexes(of: collection))
        where !names.contains(index) {
            try connection.execute("DROP INDEX IF EXISTS \(index)")
        }
        // The triggers of an inner table stand on the outer one, which has the shorter name.
        let tables = try connection.texts(SQLiteSchema.indexTables(of: collection))
        for table in tables.sorted(by: { $0.utf8.count > $1.utf8.count })
        where !names.contains(table) {
            try connection.execute(SQLIndexTranslation.drop(table: table))
        }
    }

    /// Makes sure that each index of a collection says what its documents do.
    func verifyIndexes(of collection: CollectionID) throws(StoreError) {
        let table = SQLiteSchema.table(collection)
        let finding = try connection.text("PRAGMA integrity_check(\(table))") ?? "no answer"
        guard finding == "ok" else { throw StoreError(.corrupt(finding), at: connection.path) }
        try checkIndexes(of: collection)
        try checkWords(of: collection)
    }

    /// Compares the tables of indexes with the documents.
    func checkIndexes(of collection: CollectionID) throws(StoreError) {
        for record in try indexRecords(of: collection) {
            for table in record.tables where !table.verify.isEmpty {
                try naming(record) { () throws(StoreError) in
                    guard try connection.integer(table.verify) == 1 else { return }
                    throw StoreError(.corrupt("a row is not a document's"), at: connection.path)
                }
            }
        }
    }

    /// Compares the words of full-text indexes with their texts, which FTS5 does in answer to a command
    /// that looks like a change.
    func checkWords(of collection: CollectionID) throws(StoreError) {
        for record in try indexRecords(of: collection) where record.kind == .fullText {
            for table in record.tables {
                try naming(record) { () throws(StoreError) in
                    if connection.isWriting {
                        try connection.execute(
                            "INSERT INTO \(table.name) (\(table.name)) VALUES ('integrity-check')"
                        )
                    } else {
                        try SQLiteWordsCopy(of: table.name, record).verify(on: connection)
                    }
                }
            }
        }
    }

    /// Whatever `check` finds damaged is the index's.
    private func naming(
        _ record: IndexRecord,
        _ check: () throws(StoreError) -> Void
    ) throws(StoreError) {
        do throws(StoreError) {
            try check()
        } catch {
            guard error.isDamage else { throw error }
            throw StoreError(
                .corrupt("the index \(record.name.text) does not fit the documents"),
                at: connection.path
            )
        }
    }
}
