internal import DivanRevisions
internal import DivanSQLite
internal import DivanStorage

// What a salvage queries in a file with unreadable pages: each question is answered in several ways,
// and the results of all of them are combined.
extension SQLiteSession {
    func readableCollections() throws(StoreError) -> [(id: CollectionID, path: CollectionPath)] {
        guard hasChecksums else {
            return try collections().compactMap { path in
                try? collection(path).map { ($0, path) }
            }
        }
        // The index is a second copy of each name.
        let rows = names("NOT INDEXED")
        let indexed = names("INDEXED BY sqlite_autoindex_collections_1 WHERE scope > ''")
        var found: [(id: CollectionID, path: CollectionPath)] = []
        for id in Set(rows.keys).union(indexed.keys).sorted() where id > 0 {
            let candidates = [rows[id], indexed[id]].compactMap { $0 }
            // If the row is out of reach, nothing contradicts the index.
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
            // Out of reach, so nothing confirms the name.
        }
        return isChecked
    }

    func namelessCollections() throws(StoreError) -> [CollectionID] {
        let named = Set(try readableCollections().map(\.id.rawValue))
        var found: [Int64] = []
        try? forEach(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'docs_[0-9]*'"
        ) { statement in
            guard let id = Int64(statement.text(0).dropFirst(5)), !named.contains(id) else {
                return
            }
            found.append(id)
        }
        return found.sorted().map { CollectionID(rawValue: $0) }.filter { collection in
            do throws(StoreError) {
                return try connection.integer("SELECT 1 FROM \(SQLiteSchema.table(collection))")
                    == 1
            } catch {
                return true
            }
        }
    }

    func forEachReadableRow(
        in collection: CollectionID,
        leaving left: (DamagedRow, StoreError) -> Void,
        _ body: (DocumentRow) throws -> Void
    ) throws -> RowScanResult {
        var (names, isNamed) = readableNames(in: collection)
        let (sequences, isWalked) = readableSequences(in: collection, names)
        let documents = documents(in: collection)
        let statement = try documents.bySequence(.whole)
        defer { statement.reset() }
        var latest: (sequence: Int64, liveCount: Int?) = (0, nil)
        for sequence in sequences {
            let row: DocumentRow
            do throws(StoreError) {
                statement.reset()
                try statement.bind(sequence - 1, at: 1)
                try statement.bind(1, at: 2)
                guard try statement.step(), statement.integer(0) == sequence else { continue }
                row = try documents.row(.whole, of: statement)
            } catch {
                // What this program lacks is not damage, and must not be left out.
                if case .unknownCodec = error.code { throw error }
                guard error.concernsOneDocument, statement.integer(0) == sequence else { continue }
                let name = names.removeValue(forKey: UInt64(clamping: sequence))
                left(statement.damagedRow(named: name, expiration: nil), error)
                continue
            }
            names[UInt64(clamping: sequence)] = nil
            latest = (sequence, statement.liveCount(3))
            try body(row)
        }
        for (sequence, name) in names.sorted(by: { $0.key < $1.key }) {
            let error = StoreError(.corrupt("its page cannot be read"), at: connection.path)
            left(DamagedRow(sequence, name, nil, expiration: nil), error)
        }
        return RowScanResult(
            liveCount: readableCount(of: collection, latest),
            namesAll: isNamed || isWalked
        )
    }

    /// The number of live documents according to a collection's row, or to a document's that was stored later.
    private func readableCount(
        of collection: CollectionID,
        _ latest: (sequence: Int64, liveCount: Int?)
    ) -> Int? {
        guard hasChecksums else { return nil }
        var found: Int?
        try? forEach(
            """
            SELECT lastSequence, liveCount FROM collections NOT INDEXED
            WHERE id = \(collection.rawValue) AND checksum IS \(SQLiteSchema.collectionChecksum)
            """
        ) { statement in
            let isLater = latest.sequence > statement.integer(0)
            found = isLater ? latest.liveCount : Int(clamping: statement.integer(1))
        }
        return found
    }

    /// What the index of document IDs says, by sequence, and whether it could be read to its end.
    private func readableNames(
        in collection: CollectionID
    ) -> (names: [UInt64: DocumentID], areAll: Bool) {
        let table = SQLiteSchema.table(collection)
        var names: [UInt64: DocumentID] = [:]
        let areAll = isWalked(
            """
            SELECT sequence, documentID FROM \(table)
            INDEXED BY sqlite_autoindex_\(table)_1 WHERE documentID > ''
            """
        ) { names[UInt64(clamping: $0.integer(0))] = DocumentID(unchecked: $0.text(1)) }
        return (names, areAll)
    }

    /// Where rows are, and whether that is all of them: an unreadable page ends a scan of the table, so it
    /// is scanned from both ends, and the index of names supplies what lies between.
    private func readableSequences(
        in collection: CollectionID,
        _ names: [UInt64: DocumentID]
    ) -> (sequences: [Int64], areAll: Bool) {
        let table = SQLiteSchema.table(collection)
        var sequences = Set(names.keys.map { Int64(clamping: $0) })
        var areAll = true
        for order in ["", "DESC"] where areAll || !order.isEmpty {
            let isWalked = isWalked(
                "SELECT sequence FROM \(table) NOT INDEXED ORDER BY sequence \(order)"
            ) { sequences.insert($0.integer(0)) }
            areAll = areAll && isWalked
        }
        return (sequences.filter { $0 > 0 }.sorted(), areAll)
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

    /// Whether every row could be read; `body` is called for each.
    private func isWalked(_ sql: String, _ body: (StoreStatement) -> Void) -> Bool {
        do throws(StoreError) {
            try forEach(sql, body)
            return true
        } catch {
            return false
        }
    }

    /// Calls `body` with each row up to the first that cannot be read.
    private func forEach(_ sql: String, _ body: (StoreStatement) -> Void) throws(StoreError) {
        let statement = try statement(sql)
        defer { statement.reset() }
        while try statement.step() { body(statement) }
    }
}
