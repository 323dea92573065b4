internal import DivanLog

extension StoreReader {
    /// At most `limit` documents with a greater sequence, ascending, tombstones included.
    ///
    /// One that cannot be read is passed over, and told in the log: fewer than `limit` are the last ones.
    public func documents(
        in collection: CollectionPath,
        after sequence: UInt64,
        limit: Int
    ) throws(StoreError) -> [StoredDocument] {
        var damaged: [DamagedChange] = []
        let documents = try documents(
            in: collection,
            after: sequence,
            limit: limit,
            noting: &damaged
        )
        for change in damaged {
            StoreLog.database.warning("Passed over in the changes: \(change.error)")
        }
        return documents
    }

    /// The same; what is passed over is added to `damaged`, and not told in the log.
    public func documents(
        in collection: CollectionPath,
        after sequence: UInt64,
        limit: Int,
        noting damaged: inout [DamagedChange]
    ) throws(StoreError) -> [StoredDocument] {
        let collection = try self.collection(collection)
        let rows = try current().changes(
            in: collection.id,
            after: sequence,
            limit: limit,
            content: .whole,
            noting: &damaged
        )
        return rows.map { StoredDocument($0) }
    }
}
