internal import DivanJSON
internal import DivanQuery
internal import DivanSQL
internal import DivanSQLite
internal import DivanStorage

extension SQLiteSession {
    /// Creates the table of a collection under a number that another engine assigned.
    func adopt(_ path: CollectionPath, _ id: CollectionID) throws(StoreError) {
        // Names of collections consist of letters, digits and three other characters.
        try connection.execute(
            """
            INSERT INTO collections (id, scope, name, lastSequence, liveCount)
            VALUES (\(id.rawValue), '\(path.scope)', '\(path.name)', 0, 0);
            \(SQLiteSchema.createTable(id))
            """
        )
    }

    /// Creates the indexes in the catalogue of another engine.
    func adopt(_ records: [IndexRecord], of collection: CollectionID) throws(StoreError) {
        for sql in records.statements { try changeIndexes(sql) }
        for record in records {
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
            try changeIndexes("DROP INDEX IF EXISTS \(index)")
        }
        // The triggers of an inner table are on the outer one, which has the shorter name.
        let tables = try connection.texts(SQLiteSchema.indexTables(of: collection))
        for table in tables.sorted(by: { $0.utf8.count > $1.utf8.count })
        where !names.contains(table) {
            try dropIndexTable(table)
        }
    }

    func dropIndexTable(_ table: String) throws(StoreError) {
        do throws(StoreError) {
            try changeIndexes(SQLIndexTranslation.dropAll(of: table))
        } catch {
            guard error.isDamage else { throw error }
            try forgetWords(table)
        }
    }

    /// Removes a full-text table that FTS5 can no longer open, which it would have to do to remove it.
    private func forgetWords(_ table: String) throws(StoreError) {
        try connection.execute(
            """
            PRAGMA writable_schema = ON;
            DELETE FROM sqlite_schema WHERE type = 'table' AND name = '\(table)';
            PRAGMA writable_schema = RESET;
            """
        )
        for part in ["data", "idx", "content", "docsize", "config"] {
            try connection.execute("DROP TABLE IF EXISTS \(table)_\(part)")
        }
    }

    /// Verifies that each index of a collection agrees with its documents.
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
                    throw StoreError(.corrupt("a row without a document"), at: connection.path)
                }
            }
        }
    }

    /// Compares the words of full-text indexes with their texts, which FTS5 does on a command that
    /// looks like a change.
    func checkWords(of collection: CollectionID) throws(StoreError) {
        for record in try indexRecords(of: collection) where record.kind == .fullText {
            for table in record.tables {
                try naming(record) { () throws(StoreError) in
                    if connection.isWriting {
                        try connection.execute(
                            "INSERT INTO \(table.name) (\(table.name)) VALUES ('integrity-check')"
                        )
                    } else {
                        try SQLiteFullTextCopy(of: table.name, record).verify(on: connection)
                    }
                }
            }
        }
    }

    /// Attributes whatever `check` finds damaged to the index.
    private func naming(
        _ record: IndexRecord,
        _ check: () throws(StoreError) -> Void
    ) throws(StoreError) {
        do throws(StoreError) {
            try check()
        } catch {
            guard error.isDamage else { throw error }
            throw StoreError(
                .corrupt("the index \(record.name.text) does not match the documents"),
                at: connection.path
            )
        }
    }
}
