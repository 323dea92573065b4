internal import DivanRevisions
internal import DivanSQLite
internal import DivanStorage

// Expiration of documents.
extension SQLiteSession {
    func expiration(
        of documentID: DocumentID,
        in collection: CollectionID
    ) throws(StoreError) -> Int64? {
        let statement = try documents(in: collection).expiration()
        defer { statement.reset() }
        try statement.bind(documentID.text, at: 1)
        guard try statement.step(), !statement.isNull(0) else { return nil }
        return statement.integer(0)
    }

    func nextExpiration(in collection: CollectionID) throws(StoreError) -> Int64? {
        let statement = try documents(in: collection).nextExpiration()
        defer { statement.reset() }
        guard try statement.step(), !statement.isNull(0) else { return nil }
        return statement.integer(0)
    }

    func setExpiration(
        _ time: Int64?,
        of documentID: DocumentID,
        in collection: CollectionID
    ) throws(StoreError) -> Bool {
        let statement = try documents(in: collection).setExpiration()
        try statement.bind(time, at: 1)
        try statement.bind(documentID.text, at: 2)
        try statement.run()
        return connection.changedRowCount > 0
    }
}
