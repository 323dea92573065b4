public import DivanJSON
public import DivanQuery
internal import DivanSQLiteEngine
@_spi(Database) public import DivanStore

extension StoreReader {
    /// The indexes of a collection, sorted by the bytes of their names.
    public func indexes(in path: CollectionPath) throws(StoreError) -> [StoredIndex] {
        try current().indexRecords(of: collectionID(path)).map(\.stored)
    }

    /// The names of the indexes of a collection whose records are damaged.
    ///
    /// Their definitions are lost, and no query uses them: recreate or delete them.
    public func damagedIndexNames(in path: CollectionPath) throws(StoreError) -> [ExactText] {
        try current().damagedIndexNames(of: collectionID(path))
    }
}

extension StoreWriter {
    /// Creates an index of the existing documents; later documents are added when they are saved.
    ///
    /// Does nothing if the same index already exists; a different index with this name is replaced.
    ///
    /// - Parameters:
    ///   - name: Any text that is not empty.
    ///   - definition: The definition.
    ///   - source: The definition as written by the user; two indexes are the same only if it is equal.
    ///   - path: The collection.
    ///   - control: Receives the progress, and may stop it.
    /// - Throws: `QueryError` for expressions that cannot be indexed, including expressions nested too deeply;
    ///   `CancellationError` if `control` stops it (the transaction can then not be committed); `StoreError`.
    public func createIndex(
        _ name: ExactText,
        _ definition: QueryIndexDefinition,
        source: String = "",
        in path: CollectionPath,
        control: IndexBuildControl? = nil
    ) throws {
        let collection = try collectionID(path)
        let record = try IndexRecord(name, definition, source: source, of: collection)
        let known = try current().indexRecords(of: collection)
        if known.contains(record) { return }
        try deleteIndex(name, in: path)
        let others = try current().indexRecords(of: collection)
        // What is left of an index whose record was damaged, and which was therefore unknown.
        try drop([record], keepingTablesOf: others)
        let kept = others.tables.map(\.name)
        let tables = record.tables.filter { !kept.contains($0.name) }
        let statements = tables.map(\.create) + [record.create]
        control?.expect(statements.count)
        try changing().documentIndexing?.createIndex(name, definition, of: collection)
        do {
            try make(statements, control)
        } catch let error as StoreError where error.isTooDeep {
            // The expressions of an index have no subqueries, so they cannot be divided.
            throw QueryError.tooDeep
        }
        try setValue(record.value, for: IndexRecord.key(name, in: collection), in: .indexes)
        noteShape(of: path)
        // Those of another version were rebuilt when the database was opened.
        if [record].statements.contains(where: IndexRecord.dependsOnUnicode) {
            try noteUnicode()
        }
    }

    func make(_ statements: [String], _ control: IndexBuildControl?) throws {
        guard let control else {
            for sql in statements { try changing().sqlIndexing?.changeIndexes(sql) }
            return
        }
        do {
            for sql in statements {
                try control.check()
                try changing().sqlIndexing?.changeIndexes(sql, controlledBy: control)
                control.advance()
            }
            try control.check()
        } catch {
            fail(error)
            throw error
        }
    }

    /// Deletes an index, even if its definition is damaged; does nothing if it does not exist.
    public func deleteIndex(_ name: ExactText, in path: CollectionPath) throws(StoreError) {
        let collection = try collectionID(path)
        var records = try current().indexRecords(of: collection)
        guard let place = records.firstIndex(where: { $0.name == name }) else {
            return try deleteDamagedIndex(name, of: collection, beside: records)
        }
        noteShape(of: path)
        let record = records.remove(at: place)
        try changing().documentIndexing?.deleteIndex(name, of: collection)
        try drop([record], keepingTablesOf: records)
        try setValue(nil, for: IndexRecord.key(name, in: collection), in: .indexes)
    }

    /// Drops indexes and their tables, except tables that belong to `others`, too.
    func drop(
        _ records: [IndexRecord],
        keepingTablesOf others: [IndexRecord] = []
    ) throws(StoreError) {
        for record in records { try changing().sqlIndexing?.changeIndexes(record.drop) }
        let kept = others.tables.map(\.name)
        // The inner tables first: their triggers are on the outer ones.
        for table in records.tables.reversed() where !kept.contains(table.name) {
            try changing().sqlIndexing?.dropIndexTable(table.name)
        }
    }

    /// Removes an index of which only the name is known.
    ///
    /// Tables of items, which do not say which index they belong to, go with the last one that is damaged.
    private func deleteDamagedIndex(
        _ name: ExactText,
        of collection: CollectionID,
        beside records: [IndexRecord]
    ) throws(StoreError) {
        let damaged = try current().damagedIndexNames(of: collection)
        guard damaged.contains(name) else { return }
        try changing().documentIndexing?.deleteIndex(name, of: collection)
        let remains = IndexRecord.remains(of: name, in: collection)
        try changing().sqlIndexing?.changeIndexes(remains.drop)
        for table in remains.tables { try changing().sqlIndexing?.dropIndexTable(table) }
        try setValue(nil, for: IndexRecord.key(name, in: collection), in: .indexes)
        guard damaged.count == 1 else { return }
        try changing().sqlIndexing?.removeIndexes(
            of: collection,
            except: records.flatMap { $0.schemaNames(in: collection) }
        )
    }
}
