internal import DivanRevisions

// How the indexes that each table of documents has of itself are made anew: SQLite finds documents by them.
extension SQLiteSession {
    func mendNames(of collection: CollectionID) throws(StoreError) -> NameRepair {
        let names = try connection.texts(SQLiteSchema.ownIndexes(of: collection))
        // By another connection: one that came upon a damaged page changes the schema no more.
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
                // A document stands twice.
                guard error.isDamage else { throw error }
            }
        }
        return try exchangeIndexes(names, of: collection)
    }

    /// Whether every page of an index can be read.
    private static func isReadable(
        _ name: String,
        of collection: CollectionID,
        by connection: SQLiteConnection
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

    /// Lets go the indexes as they are, without reading them, and gives their names to new ones.
    ///
    /// A table whose index is damaged cannot be changed, and an index cannot be removed of which a page
    /// cannot be read. So the schema forgets it, and its pages are nobody's until the file is compacted.
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

    /// Changes what the schema says of a table; it is read again afterwards.
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

    /// Of several rows of a document, which a damaged index lets come to be, the whole one that was stored
    /// last stays.
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
            // None is whole: a damaged one stays, for a peer's to take its place. Of rows whose IDs are no
            // text none is found under what was read of them.
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
