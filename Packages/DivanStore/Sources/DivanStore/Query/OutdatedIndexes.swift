internal import DivanQuery

extension Store {
    /// Makes those indexes anew of which a function means something else by now.
    ///
    /// The function would look for a document under another key than the one that it once gave, so this
    /// comes before anything is written. Who only reads passes over them: queries call the function by its
    /// new number, which such an index does not have.
    func renewIndexes() throws {
        let isAnyOutdated = try read { reader in
            try reader.current().values(in: .indexes).contains { _, record in
                SQLIndexTranslation.renewed(String(decoding: record, as: UTF8.self)) != nil
            }
        }
        guard isAnyOutdated else { return }
        try write { writer in
            for path in try writer.collections() { try writer.renewIndexes(in: path) }
        }
    }
}

extension StoreWriter {
    fileprivate func renewIndexes(in path: CollectionPath) throws(StoreError) {
        let id = try collection(path).id
        let records = try current().indexRecords(of: id)
        let renewed = records.map(\.renewed)
        guard renewed != records else { return }
        for record in records { try changing().changeIndexes(record.drop) }
        for table in records.tables.reversed() { try changing().dropIndexTable(table.name) }
        // A damaged document has no value in them, and must not keep the database from being opened.
        try changing().makeIndexesBesideDamage(renewed.statements)
        for record in renewed where !records.contains(record) {
            try setValue(record.value, for: IndexRecord.key(record.name, in: id), in: .indexes)
        }
    }
}
