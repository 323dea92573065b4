internal import DivanSQLite
internal import DivanStorage

// Beginning and ending transactions and snapshots of a session.
extension SQLiteSession {
    func begin(_ sql: String) throws(StoreError) {
        forgetCollections()
        try statement(sql).run()
        connection.transactionDidBegin()
    }

    func commit() throws(StoreError) {
        try statement("COMMIT").run()
    }

    /// Rolls back the open transaction, if SQLite has not done so itself after an error.
    func rollback() {
        if packers.mayPack {
            // A dictionary of this transaction never existed.
            packers.forget()
            connection.bodies.forget()
        }
        guard connection.isInTransaction else { return }
        do {
            try statement("ROLLBACK").run()
        } catch {
            // The only causes are damage and a broken disk. The connection's statements are
            // dropped, and with them its locks; the next use reports the cause.
            forgetStatements()
        }
    }
}
