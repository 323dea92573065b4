internal import DivanRevisions
internal import DivanSQLite
internal import DivanStorage

// Rebuilds the indexes that each table of documents has by itself, by which SQLite finds documents.
extension SQLiteSession {
    func repairNames(of collection: CollectionID) throws(StoreError) -> NameRepair {
        let names = try connection.texts(SQLiteSchema.ownIndexes(of: collection))
        // On another connection: one that met a damaged page can no longer change the schema.
        let reader = try connection.reader()
        var areReadable = true
        for name in names where areReadable {
            areReadable = try Self.isReadable(name, of: collection, by: reader)
        }
        if areReadable {
            do throws(StoreError) {
                for name in names { try connection.execute("REINDEX \(name)") }
                return NameRepair()
            } catch {
                // A document occurs twice.
                guard error.isDamage else { throw error }
            }
        }
        return try exchangeIndexes(names, of: collection)
    }

    /// Whether every page of an index can be read.
    private static func isReadable(
        _ name: String,
        of collection: CollectionID,
        by connection: StoreConnection
    ) throws(StoreError) -> Bool {
        let table = SQLiteSchema.table(collection)
        let condition =
            switch name {
            case "\(table)_conflicted": SQLiteSchema.isConflicted
            case "\(table)_expiration": "expiration IS NOT NULL"
            default: "documentID > ''"
            }
        do throws(StoreError) {
            _ = try connection.integer(
                "SELECT count(*) FROM \(table) INDEXED BY \(name) WHERE \(condition)"
            )
            return true
        } catch {
            guard error.isDamage else { throw error }
            return false
        }
    }

    /// Abandons the indexes as they are, without reading them, and gives their names to new ones.
    ///
    /// A table with a damaged index cannot be changed, and an index with an unreadable page cannot be
    /// removed. So the schema forgets it, and its pages are orphaned until the file is compacted.
    private func exchangeIndexes(
        _ names: [String],
        of collection: CollectionID
    ) throws(StoreError) -> NameRepair {
        let table = SQLiteSchema.table(collection)
        let sql = "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = '\(table)'"
        guard let definition = try connection.text(sql) else {
            throw StoreError(.corrupt("the table \(table) is missing"), at: connection.path)
        }
        forgetStatements()
        try editSchema(
            "DELETE FROM sqlite_schema WHERE type = 'index' AND name IN (\(Self.list(names)))"
        )
        try define(table, as: definition.replacing("UNIQUE", with: ""))
        var repair = NameRepair(leavesPages: true)
        try removeSeconds(in: collection, noting: &repair)
        let (fresh, index) = ("\(table)_fresh", "sqlite_autoindex_\(table)_1")
        try connection.execute(
            """
            CREATE UNIQUE INDEX \(fresh) ON \(table) (documentID);
            \(SQLiteDefinitions.conflicted(table));
            \(SQLiteDefinitions.expirations(table));
            """
        )
        try editSchema(
            "UPDATE sqlite_schema SET name = '\(index)', sql = NULL WHERE name = '\(fresh)'"
        )
        try define(table, as: definition)
        forgetStatements()
        return repair
    }

    private static func list(_ names: [String]) -> String {
        names.map { "'\($0)'" }.joined(separator: ", ")
    }

    private func editSchema(_ sql: String) throws(StoreError) {
        try connection.execute("PRAGMA writable_schema = ON; \(sql)")
    }

    /// Changes the schema's definition of a table; it is read again afterwards.
    private func define(_ table: String, as definition: String) throws(StoreError) {
        do {
            let statement = try connection.prepare(
                "UPDATE sqlite_schema SET sql = ? WHERE type = 'table' AND name = '\(table)'"
            )
            try statement.bind(definition, at: 1)
            try statement.run()
        }
        try connection.execute("PRAGMA writable_schema = RESET")
    }

    /// Of several rows of one document, which a damaged index can cause, keeps the intact one stored last.
    private func removeSeconds(
        in collection: CollectionID,
        noting repair: inout NameRepair
    ) throws(StoreError) {
        let table = SQLiteSchema.table(collection)
        let documentIDs = try connection.texts(
            "SELECT documentID FROM \(table) GROUP BY documentID HAVING count(*) > 1"
        )
        .map { DocumentID(unchecked: $0) }
        guard !documentIDs.isEmpty else { return }
        let documents = SQLiteDocumentStatements(
            collection,
            on: connection,
            hasChecksums: hasChecksums
        )
        for documentID in documentIDs {
            var removed: [DamagedRow] = []
            var kept: Int64?
            let statement = try documents.everyRow(of: documentID)
            while try statement.step() {
                let sequence = statement.integer(0)
                let row = statement.damagedRow(named: nil, expiration: nil)
                do throws(StoreError) {
                    _ = try documents.row(.whole, of: statement)
                    guard kept != nil else {
                        kept = sequence
                        continue
                    }
                } catch {
                    guard error.concernsOneDocument else { throw error }
                }
                removed.append(row)
            }
            // None is intact: one damaged row stays, to be replaced by a peer's. Rows whose IDs are not
            // text are not found under the text that was read of them.
            if kept == nil { removed = Array(removed.dropFirst()) }
            for row in removed {
                let sequence = Int64(clamping: row.sequence)
                try connection.withoutTriggers { () throws(StoreError) in
                    try connection.execute("DELETE FROM \(table) WHERE sequence = \(sequence)")
                }
            }
            repair.removed += removed
        }
        repair.state = try recount(collection, beside: repair.removed.map(\.sequence))
    }
}
