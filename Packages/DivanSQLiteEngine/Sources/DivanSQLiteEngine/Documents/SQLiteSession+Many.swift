internal import DivanRevisions
internal import DivanSQLite
internal import DivanStorage

/// Operations of a single statement run on many documents.
extension SQLiteSession {
    func summaries(
        of documentIDs: [DocumentID],
        in collection: CollectionID
    ) throws(StoreError) -> [DocumentRow] {
        let documents = documents(in: collection)
        let statement = try documents.manySummaries()
        defer { statement.reset() }
        var found: [DocumentRow] = []
        for start in stride(from: 0, to: documentIDs.count, by: SQLiteDocumentStatements.manyCount)
        {
            let some = documentIDs[start...].prefix(SQLiteDocumentStatements.manyCount)
            try statement.forEachRow(of: some) { () throws(StoreError) in
                do throws(StoreError) {
                    found.append(try documents.row(.summary, of: statement))
                } catch  where error.concernsOneDocument {
                    return
                }
            }
        }
        return found
    }

    // The statement has no limit and runs until there are enough rows, since skipped ones do not
    // count.
    func changes(
        in collection: CollectionID,
        after sequence: UInt64,
        limit: Int,
        content: RowContent,
        noting damaged: inout [DamagedChange]
    ) throws(StoreError) -> [DocumentRow] {
        let documents = documents(in: collection)
        let statement = try documents.bySequence(content)
        defer { statement.reset() }
        try statement.bind(Int64(clamping: sequence), at: 1)
        try statement.bind(-1, at: 2)
        var rows: [DocumentRow] = []
        while rows.count < limit, try statement.step() {
            do throws(StoreError) {
                rows.append(try documents.row(content, of: statement))
            } catch {
                guard case .damagedDocument(let documentID, _) = error.code,
                    damaged.count < SQLiteEngineLimits.passedDamageCount
                else { throw error }
                let sequence = UInt64(clamping: statement.integer(0))
                damaged.append(
                    DamagedChange(sequence: sequence, documentID: documentID, error: error)
                )
            }
        }
        return rows
    }

    func run(
        of sequences: [UInt64],
        in collection: CollectionID
    ) throws(StoreError) -> [DocumentRow] {
        guard let first = sequences.first, first > 0 else { return [] }
        let documents = documents(in: collection)
        let statement = try documents.bySequence(.whole)
        defer { statement.reset() }
        try statement.bind(Int64(clamping: first - 1), at: 1)
        try statement.bind(Int64(sequences.count), at: 2)
        var rows: [DocumentRow] = []
        rows.reserveCapacity(sequences.count)
        for sequence in sequences {
            guard try statement.step(), statement.integer(0) == Int64(clamping: sequence)
            else { break }
            do throws(StoreError) {
                rows.append(try documents.row(.whole, of: statement))
            } catch  where error.concernsOneDocument {
                break
            }
        }
        return rows
    }

    func add(
        _ rows: [DocumentRow],
        after state: CollectionState
    ) throws(StoreError) -> Bool {
        let documents = documents(in: state.id)
        var (state, isAdded) = (state, true)
        let last = state.lastSequence
        var rest = rows[...]
        while isAdded, !rest.isEmpty {
            let (statement, rowCount) = try documents.add(atMost: rest.count)
            let some = rest.prefix(rowCount)
            rest = rest.dropFirst(rowCount)
            isAdded = try put(some, by: statement, after: &state) == some.count
        }
        guard !isAdded else { return true }
        let undo = try documents.removeBehind()
        try undo.bind(Int64(clamping: last), at: 1)
        try undo.run()
        return false
    }

    /// Adds rows of new documents by a statement, each with the counters; returns how many it added.
    private func put(
        _ rows: ArraySlice<DocumentRow>,
        by statement: StoreStatement,
        after state: inout CollectionState
    ) throws(StoreError) -> Int {
        let packed = try packed(rows, in: state.id, after: state)
        var (flags, ends) = ([Int64](), [Int]())
        flags.reserveCapacity(rows.count)
        ends.reserveCapacity(rows.count)
        var revisionIDs: [UInt8] = []
        for row in rows {
            state.take(row)
            flags.append(SQLiteSchema.flags(row.flags, liveCount: state.liveCount))
            row.revisionID.encode(into: &revisionIDs)
            ends.append(revisionIDs.count)
        }
        return try statement.put(rows, packed, flags: flags, revisionIDs, ends: ends)
    }
}
