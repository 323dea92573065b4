internal import DivanRevisions

// What a salvage asks of a file of which some pages cannot be read: each question has several ways to
// its answer, and takes what each of them finds.
extension SQLiteSession {
    func readableCollections() throws(StoreError) -> [(id: CollectionID, path: CollectionPath)] {
        guard hasChecksums else {
            return try collections().compactMap { path in
                try? collection(path).map { ($0, path) }
            }
        }
        // The index has each name a second time.
        let rows = names("NOT INDEXED")
        let indexed = names("INDEXED BY sqlite_autoindex_collections_1 WHERE scope > ''")
        var found: [(id: CollectionID, path: CollectionPath)] = []
        for id in Set(rows.keys).union(indexed.keys).sorted() {
            let candidates = [rows[id], indexed[id]].compactMap { $0 }
            // Where the row is out of reach nothing speaks against what the index says.
            let agreed = rows[id] == nil || rows[id] == indexed[id] ? indexed[id] : nil
            guard let path = candidates.first(where: { isChecked($0, of: id) }) ?? agreed
            else { continue }
            found.append((CollectionID(rawValue: id), path))
        }
        return found
    }

    private func names(_ way: String) -> [Int64: CollectionPath] {
        var names: [Int64: CollectionPath] = [:]
        try? forEach("SELECT id, scope, name FROM collections \(way)") { statement in
            names[statement.integer(0)] =
                CollectionPath(scope: statement.text(1), name: statement.text(2))
        }
        return names
    }

    /// Whether the checksum of a collection is that of a row with this name.
    private func isChecked(_ path: CollectionPath, of id: Int64) -> Bool {
        var isChecked = false
        let checksum = "divan_checksum(id, ?, ?, lastSequence, liveCount, uncheckedThrough)"
        let sql = "SELECT checksum IS \(checksum) FROM collections NOT INDEXED WHERE id = \(id)"
        do throws(StoreError) {
            let statement = try statement(sql)
            defer { statement.reset() }
            try statement.bind(path.scope, at: 1)
            try statement.bind(path.name, at: 2)
            if try statement.step() { isChecked = statement.integer(0) == 1 }
        } catch {
            // Out of reach, so nothing speaks for the name.
        }
        return isChecked
    }

    func forEachReadableRow(
        in collection: CollectionID,
        leaving left: (DamagedRow, StoreError) -> Void,
        _ body: (DocumentRow) throws -> Void
    ) throws {
        let names = indexedNames(in: collection)
        let documents = documents(in: collection)
        let statement = try documents.bySequence(.whole)
        defer { statement.reset() }
        for sequence in readableSequences(in: collection) {
            let row: DocumentRow
            do throws(StoreError) {
                statement.reset()
                try statement.bind(sequence - 1, at: 1)
                try statement.bind(1, at: 2)
                guard try statement.step(), statement.integer(0) == sequence else { continue }
                row = try documents.row(.whole, of: statement)
            } catch {
                // What this program lacks is no damage, and must not be left behind.
                if case .unknownCodec = error.code { throw error }
                if error.concernsOneDocument, statement.integer(0) == sequence {
                    let name = names[UInt64(clamping: sequence)]
                    left(statement.damagedRow(named: name, expiration: nil), error)
                }
                continue
            }
            try body(row)
        }
    }

    /// Where rows stand: a page that cannot be read ends a walk through the table, so it is walked
    /// from both ends, and the index of names tells of what lies between.
    private func readableSequences(in collection: CollectionID) -> [Int64] {
        let table = SQLiteSchema.table(collection)
        var sequences: Set<Int64> = []
        for way in [
            "NOT INDEXED ORDER BY sequence", "NOT INDEXED ORDER BY sequence DESC",
            "INDEXED BY sqlite_autoindex_\(table)_1 WHERE documentID > ''",
        ] {
            try? forEach("SELECT sequence FROM \(table) \(way)") {
                sequences.insert($0.integer(0))
            }
        }
        return sequences.filter { $0 > 0 }.sorted()
    }

    func readableValues(
        in space: ValueSpace
    ) throws(StoreError) -> [(key: String, value: [UInt8])] {
        var values: [(key: String, value: [UInt8])] = []
        let check = hasChecksums ? "checksum IS \(SQLiteSchema.valueChecksum)" : "true"
        let sql = """
            SELECT key, value FROM "values" WHERE space = '\(space.rawValue)' AND \(check)
            """
        try? forEach(sql) { values.append(($0.text(0), $0.bytes(1))) }
        return values
    }

    /// Calls `body` with each row until the first that cannot be read.
    private func forEach(_ sql: String, _ body: (SQLiteStatement) -> Void) throws(StoreError) {
        let statement = try statement(sql)
        defer { statement.reset() }
        while try statement.step() { body(statement) }
    }
}
