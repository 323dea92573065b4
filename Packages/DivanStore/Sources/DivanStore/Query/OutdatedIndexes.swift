internal import DivanQuery
internal import DivanSQLFunctions

extension Store {
    /// Makes those indexes anew of which a function means something else by now, or which another version of
    /// Unicode made: the system got another library, or the database came from another machine.
    ///
    /// The function would look for a document under another key than the one that it once gave, so this
    /// comes before anything is written. Who only reads passes over those of another meaning: queries call the
    /// function by its new number, which such an index does not have. Those of another version of Unicode have
    /// the same number, and are read as they are: what has a letter that only one of the two knows may be missed.
    func renewIndexes() throws {
        let isAnyOutdated = try read { reader in
            let isOfOther = try !reader.hasUnicode()
            return try reader.current().values(in: .indexes).contains { _, record in
                let sql = String(decoding: record, as: UTF8.self)
                return SQLIndexTranslation.renewed(sql) != nil
                    || isOfOther && SQLIndexTranslation.dependsOnUnicode(sql)
            }
        }
        guard isAnyOutdated else { return }
        try write { writer in
            for path in try writer.collections() { try writer.renewIndexes(in: path) }
            try writer.noteUnicode()
        }
    }
}

/// Under which the database says by which version of Unicode its indexes were made.
private let unicodeKey = "unicode"

extension StoreReader {
    fileprivate func hasUnicode() throws(StoreError) -> Bool {
        try value(unicodeKey, in: .database) == Array(SQLFunctions.unicodeVersion.utf8)
    }
}

extension StoreWriter {
    /// Notes the version of Unicode that all indexes were made by.
    func noteUnicode() throws(StoreError) {
        guard try !hasUnicode() else { return }
        try setValue(Array(SQLFunctions.unicodeVersion.utf8), for: unicodeKey, in: .database)
    }

    fileprivate func renewIndexes(in path: CollectionPath) throws(StoreError) {
        let id = try collection(path).id
        let records = try current().indexRecords(of: id)
        let renewed = records.map(\.renewed)
        let knowsLetters = records.statements.contains(where: SQLIndexTranslation.dependsOnUnicode)
        let isOfOther = try !hasUnicode()
        guard renewed != records || knowsLetters && isOfOther else { return }
        for record in records { try changing().changeIndexes(record.drop) }
        for table in records.tables.reversed() { try changing().dropIndexTable(table.name) }
        // A damaged document has no value in them, and must not keep the database from being opened.
        try changing().makeIndexesBesideDamage(renewed.statements)
        for record in renewed where !records.contains(record) {
            try setValue(record.value, for: IndexRecord.key(record.name, in: id), in: .indexes)
        }
    }
}
