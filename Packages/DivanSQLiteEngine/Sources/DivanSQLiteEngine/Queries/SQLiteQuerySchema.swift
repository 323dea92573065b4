internal import DivanJSON
internal import DivanQuery
internal import DivanSQL
internal import DivanSQLite
internal import DivanStorage

/// The tables of one snapshot, for the translation of a query.
final class SQLiteQuerySchema: SQLSchema {
    private let session: SQLiteSession
    private var records: [CollectionID: [IndexRecord]] = [:]
    private var contents: [CollectionID: [SQLIndexContent]] = [:]

    init(_ session: SQLiteSession) {
        self.session = session
    }

    let documentColumns = SQLDocumentColumns.stored

    func table(of collection: QueryCollection) throws -> String {
        SQLiteSchema.table(try id(of: collection))
    }

    /// A transaction writes the counters when it ends; until then documents are counted.
    var knowsLiveCounts: Bool { !session.connection.isWriting }

    func itemTable(of collection: QueryCollection, _ paths: [QueryPath]) throws -> String? {
        let table = try table(of: collection)
        let name = SQLIndexTranslation.itemTable(of: table, paths)
        return try hasIndexTable(name, of: collection) ? name : nil
    }

    func hasIndexTable(_ name: String, of collection: QueryCollection) throws -> Bool {
        try records(of: collection).contains { $0.tables.contains { $0.name == name } }
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
        return SQLFullTextTable(
            name: table.name,
            columns: record.columns,
            tokenizer: record.stored.tokenizer ?? ""
        )
    }

    func vectorTable(
        _ index: ExactText,
        in collection: QueryCollection
    ) throws -> SQLVectorTable {
        let record = try records(of: id(of: collection)).first {
            $0.kind == .vector && $0.name == index
        }
        guard let record, let table = record.tables.first,
            let options = record.stored.vectors?.options
        else {
            throw QueryError("no vector index is named \(index)", code: .missingIndex)
        }
        return SQLVectorTable(name: table.name, options: options)
    }

    func valueIndexes(of collection: QueryCollection) throws -> [SQLIndexContent] {
        let id = try id(of: collection)
        if let known = contents[id] { return known }
        let found = try records(of: id).filter { $0.kind == .value }.map(\.content)
        contents[id] = found
        return found
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
