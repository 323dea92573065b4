internal import DivanFullText
public import DivanJSON
internal import DivanLog
public import DivanQuery
internal import DivanRevisions
internal import DivanSQL
internal import DivanSQLiteEngine

extension StoreReader {
    /// The indexes of a collection, sorted by the bytes of their names.
    public func indexes(in path: CollectionPath) throws(StoreError) -> [StoredIndex] {
        try current().indexRecords(of: collection(path).id).map(\.stored)
    }

    /// The names of the indexes of a collection whose records are damaged.
    ///
    /// Their definitions are lost, and no query uses them: recreate or delete them.
    public func damagedIndexNames(in path: CollectionPath) throws(StoreError) -> [ExactText] {
        try current().damagedIndexNames(of: collection(path).id)
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
        let collection = try collection(path).id
        let record = try IndexRecord(name, definition, source: source, of: collection)
        let known = try current().indexRecords(of: collection)
        if known.contains(record) { return }
        try deleteIndex(name, in: path)
        let kept = try current().indexRecords(of: collection).flatMap(\.tables).map(\.name)
        // What is left of an index whose record was damaged, and which was therefore unknown.
        try changing().sqlIndexing?.changeIndexes(record.drop)
        for table in record.tables.reversed() where !kept.contains(table.name) {
            try changing().sqlIndexing?.dropIndexTable(table.name)
        }
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

    private func make(_ statements: [String], _ control: IndexBuildControl?) throws {
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
        let collection = try collection(path).id
        var records = try current().indexRecords(of: collection)
        guard let place = records.firstIndex(where: { $0.name == name }) else {
            return try deleteDamagedIndex(name, of: collection, beside: records)
        }
        noteShape(of: path)
        let record = records.remove(at: place)
        try changing().documentIndexing?.deleteIndex(name, of: collection)
        try changing().sqlIndexing?.changeIndexes(record.drop)
        let kept = records.flatMap(\.tables).map(\.name)
        // The inner tables first: their triggers are on the outer ones.
        for table in record.tables.reversed() where !kept.contains(table.name) {
            try changing().sqlIndexing?.dropIndexTable(table.name)
        }
        try setValue(nil, for: IndexRecord.key(name, in: collection), in: .indexes)
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

    /// Rebuilds all indexes of a collection from its documents, including the index of document IDs.
    ///
    /// If a document occurs twice, which damage in the index of document IDs can cause, the row stored last is
    /// kept.
    ///
    /// - Parameters:
    ///   - path: The collection.
    ///   - control: Receives the progress, and may stop it.
    /// - Throws: `corrupt` if the definition of an index is lost, so that it must be recreated or deleted;
    ///   `CancellationError` if `control` stops it (the transaction can then not be committed).
    public func rebuildIndexes(in path: CollectionPath, control: IndexBuildControl? = nil) throws {
        control?.expect(try indexStatements(of: path).count)
        try remakeIndexes(in: path, control)
    }

    /// Rebuilds them, and verifies that they agree with the documents; the control already expects the
    /// statements.
    ///
    /// - Throws: As `rebuildIndexes(in:control:)`; `corrupt` if they do not agree, and the collection then
    ///   has its previous indexes.
    func reindex(_ path: CollectionPath, _ control: IndexBuildControl?) throws -> NameRepair {
        let repair = try remakeIndexes(in: path, control)
        try changing().sqlIndexing?.verifyIndexes(of: collection(path).id)
        try control?.check()
        return repair
    }

    @discardableResult
    private func remakeIndexes(
        in path: CollectionPath,
        _ control: IndexBuildControl?
    ) throws -> NameRepair {
        let id = try collection(path).id
        if let name = try current().damagedIndexNames(of: id).first {
            throw StoreError(
                .corrupt(
                    "the definition of index \(name.text) of \(path) is lost; "
                        + "create it again with the same name, or delete it"
                )
            )
        }
        let records = try current().indexRecords(of: id)
        for record in records { try changing().sqlIndexing?.changeIndexes(record.drop) }
        for table in records.tables.reversed() {
            try changing().sqlIndexing?.dropIndexTable(table.name)
        }
        let repair = try repairNames(in: path)
        try make(records.statements, control)
        return repair
    }

    /// Rebuilds the index of document IDs, and the others that the collection has by itself.
    private func repairNames(in path: CollectionPath) throws(StoreError) -> NameRepair {
        let collection = try self.collection(path)
        let repair = try changing().damageRepair?.repairNames(of: collection.id) ?? NameRepair()
        noteTreeChange()
        guard let state = repair.state else { return repair }
        for row in repair.removed {
            StoreLog.database.warning("\(user: row.second(in: path))")
        }
        forgetRow()
        setState(state, of: collection)
        collection.hasNewState = true
        collection.mayRepeat = true
        return repair
    }

    func forgetIndexes(of collection: OpenCollection) throws(StoreError) {
        let damaged = try current().damagedIndexNames(of: collection.id)
        for name in try damaged + current().indexRecords(of: collection.id).map(\.name) {
            try setValue(nil, for: IndexRecord.key(name, in: collection.id), in: .indexes)
        }
    }
}

extension StoreReader {
    /// The statements that create the indexes of a collection.
    func indexStatements(of path: CollectionPath) throws(StoreError) -> [String] {
        try current().indexRecords(of: collection(path).id).statements
    }
}
