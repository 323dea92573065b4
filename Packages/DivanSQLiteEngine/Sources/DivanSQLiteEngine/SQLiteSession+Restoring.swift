internal import CDivanSQLiteEngine
internal import DivanRevisions
internal import DivanSQLite
internal import DivanStorage

// What a restoration queries and changes in addition to what every transaction does.
extension SQLiteSession {
    func damagedRows(in collection: CollectionID) throws(StoreError) -> [DamagedRow] {
        var names = indexedNames(in: collection)
        let expirations = indexedExpirations(in: collection)
        var sound: Set<DocumentID> = []
        var rows: [DamagedRow] = []
        let documents = documents(in: collection)
        let statement = try documents.everyRow()
        defer { statement.reset() }
        while try statement.step() {
            let sequence = UInt64(clamping: statement.integer(0))
            let indexed = names.removeValue(forKey: sequence)
            do throws(StoreError) {
                sound.insert(try documents.row(.whole, of: statement).documentID)
            } catch {
                guard error.concernsOneDocument else { throw error }
                // A time caused by damage must not purge what is restored.
                let expiration = expirations[sequence].flatMap {
                    $0 == statement.integer(4) ? $0 : nil
                }
                rows.append(statement.damagedRow(named: indexed, expiration: expiration))
            }
        }
        // If it was the index that was damaged, the row is under another sequence.
        let missing = names.filter { !sound.contains($0.value) }
        return rows.filter { !sound.contains($0.documentID) }
            + missing.map { sequence, documentID in
                DamagedRow(sequence, documentID, nil, expiration: expirations[sequence])
            }
    }

    /// The index of expirations is a second copy of each.
    private func indexedExpirations(in collection: CollectionID) -> [UInt64: Int64] {
        let table = SQLiteSchema.table(collection)
        var expirations: [UInt64: Int64] = [:]
        do throws(StoreError) {
            let statement = try statement(
                """
                SELECT sequence, expiration FROM \(table)
                INDEXED BY \(table)_expiration WHERE expiration IS NOT NULL
                """
            )
            defer { statement.reset() }
            while try statement.step() {
                expirations[UInt64(clamping: statement.integer(0))] = statement.integer(1)
            }
        } catch {
            // The index itself is damaged: what it says of other rows is not trusted.
            return [:]
        }
        return expirations
    }

    /// The index of document IDs is a second copy of each name, so it supplies the names of damaged
    /// rows and of rows out of reach.
    func indexedNames(in collection: CollectionID) -> [UInt64: DocumentID] {
        let table = SQLiteSchema.table(collection)
        var names: [UInt64: DocumentID] = [:]
        do throws(StoreError) {
            let statement = try statement(
                """
                SELECT sequence, documentID FROM \(table)
                INDEXED BY sqlite_autoindex_\(table)_1 WHERE documentID > ''
                """
            )
            defer { statement.reset() }
            while try statement.step() {
                names[UInt64(clamping: statement.integer(0))] =
                    DocumentID(unchecked: statement.text(1))
            }
        } catch {
            // The index itself is damaged: what was read so far helps, and the rows supply more.
        }
        return names
    }

    func discard(
        _ sequences: [UInt64],
        in collection: CollectionID,
        rebuildingIndexes: Bool
    ) throws(StoreError) -> CollectionState {
        let (id, table) = (collection.rawValue, SQLiteSchema.table(collection))
        let isNamed = try connection.integer(
            """
            SELECT checksum IS \(SQLiteSchema.collectionChecksum) FROM collections WHERE id = \(id)
            """
        )
        // New counters would give a damaged name a correct checksum.
        guard isNamed == 1 else {
            throw StoreError(.corrupt("invalid row for collection \(id)"), at: connection.path)
        }
        // Done first, since a row missing from its index cannot be removed.
        if rebuildingIndexes { try reindex(table) }
        let remove = try statement("DELETE FROM \(table) WHERE sequence = ?")
        for sequence in sequences {
            try remove.bind(Int64(clamping: sequence), at: 1)
            try remove.run()
        }
        return try recount(collection, beside: sequences)
    }

    private func reindex(_ table: String) throws(StoreError) {
        do throws(StoreError) {
            try connection.execute("REINDEX \(table)")
        } catch {
            guard case .sqlite(let code, _) = error.code, code & 0xFF == SQLITE_CONSTRAINT
            else { throw error }
            let problem =
                "duplicate document; run 'divan index rebuild' first"
            throw StoreError(.corrupt(problem), at: connection.path)
        }
    }

    /// Recounts the rows of a collection, of which some have been removed, and stores the result.
    func recount(
        _ collection: CollectionID,
        beside sequences: [UInt64]
    ) throws(StoreError) -> CollectionState {
        let (id, table) = (collection.rawValue, SQLiteSchema.table(collection))
        let counts = [
            try connection.integer("SELECT lastSequence FROM collections WHERE id = \(id)"),
            try connection.integer("SELECT max(sequence) FROM \(table)"),
        ]
        // A sequence that was ever assigned is not reused, unless damage made it absurd.
        let given = sequences.filter { $0 < 1 << 53 } + counts.map { UInt64(clamping: $0 ?? 0) }
        let state = CollectionState(
            id: collection,
            lastSequence: given.max() ?? 0,
            liveCount: try countLive(in: collection)
        )
        try setState(state)
        return state
    }

    /// Counts the documents that are not tombstones, by reading all rows.
    func countLive(in collection: CollectionID) throws(StoreError) -> Int {
        let count = try connection.integer(
            """
            SELECT count(*) FROM \(SQLiteSchema.table(collection))
            WHERE flags & \(DocumentFlags.tombstone.rawValue) = 0
            """
        )
        return Int(clamping: count ?? 0)
    }

    func discardDamagedValues() throws(StoreError) {
        try SQLiteDictionaries(on: connection).restore()
        let spaces: [ValueSpace] = [
            .localCheckpoints, .peerCheckpoints, .checkpointOwners, .checkpointCollections,
            .knownSequences, .deltaSources, .refusals,
        ]
        let names = spaces.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        try connection.execute(
            """
            DELETE FROM "values"
            WHERE space IN (\(names)) AND checksum IS NOT \(SQLiteSchema.valueChecksum)
            """
        )
    }
}
