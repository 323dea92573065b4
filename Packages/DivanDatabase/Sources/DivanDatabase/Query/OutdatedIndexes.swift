internal import DivanQuery
internal import DivanSQL
internal import DivanSQLiteEngine
@_spi(Database) internal import DivanStore

extension Store {
    /// Rebuilds the indexes of which a function has another meaning by now, or which another version of
    /// Unicode built: the system got another library, or the database came from another machine.
    ///
    /// The function would look for a document under another key than the one it once returned, so this
    /// precedes any write. Read-only use ignores indexes with another meaning: queries call the function by
    /// its new number, which such an index does not have. Those of another version of Unicode have the same
    /// number, and are read as they are: they may miss what has a letter that only one of the two knows.
    func renewIndexes() throws {
        let isAnyOutdated = try read { reader in
            let isOfOther = try !reader.hasUnicode()
            return try reader.current().values(in: .indexes).contains { _, record in
                let sql = String(decoding: record, as: UTF8.self)
                return IndexRecord.renewed(sql) != nil
                    || isOfOther && IndexRecord.dependsOnUnicode(sql)
            }
        }
        guard isAnyOutdated else { return }
        try write { writer in
            for path in try writer.collections() { try writer.renewIndexes(in: path) }
            try writer.noteUnicode()
        }
    }
}

/// The key of the version of Unicode by which the database's indexes were built.
private let unicodeKey = "unicode"

extension StoreReader {
    fileprivate func hasUnicode() throws(StoreError) -> Bool {
        try current().value(unicodeKey, in: .database) == Array(SQLFunctions.unicodeVersion.utf8)
    }
}

extension StoreWriter {
    /// Records the version of Unicode by which all indexes were built.
    func noteUnicode() throws(StoreError) {
        guard try !hasUnicode() else { return }
        try setValue(Array(SQLFunctions.unicodeVersion.utf8), for: unicodeKey, in: .database)
    }

    fileprivate func renewIndexes(in path: CollectionPath) throws(StoreError) {
        let id = try collectionID(path)
        let records = try current().indexRecords(of: id)
        let renewed = records.map(\.renewed)
        let knowsLetters = records.statements.contains(where: IndexRecord.dependsOnUnicode)
        let isOfOther = try !hasUnicode()
        guard renewed != records || knowsLetters && isOfOther else { return }
        try drop(records)
        // A damaged document has no value in them, and must not prevent the database from being opened.
        try changing().sqlIndexing?.makeIndexesBesideDamage(renewed.statements)
        for record in renewed where !records.contains(record) {
            try setValue(record.value, for: IndexRecord.key(record.name, in: id), in: .indexes)
        }
    }
}
