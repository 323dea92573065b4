internal import CDivanSQLiteEngine
internal import DivanRevisions
internal import DivanSQLite
internal import DivanStorage

// What `compact()` does with bodies that are not stored as their collection now requires.
extension SQLiteSession {
    /// Rows written in one transaction.
    private static let batchCount = 512

    /// Packs and unpacks bodies as their collections require, and removes unused dictionaries; `between` is
    /// called after each commit.
    func repackBodies(_ between: () -> Void) throws(StoreError) {
        guard packers.mayPack else { return }
        let dictionaries = SQLiteDictionaries(on: connection)
        try inTransaction { () throws(StoreError) in try dictionaries.restore() }
        let made = try dictionaries.byteCounts()
        for path in try collections() {
            guard let id = try collection(path) else { continue }
            let isPacked = try value(PackedCollection.key(id), in: .packing) != nil
            guard isPacked || made[id] != nil else { continue }
            // If a row was not seen, it is unknown which dictionary it needs.
            guard let used = try repackBodies(of: id, between) else { continue }
            try inTransaction { () throws(StoreError) in
                for number in made[id, default: [:]].keys where !used.contains(number) {
                    try dictionaries.remove(number)
                }
            }
        }
    }

    /// Returns the dictionaries that rows still use; `nil` if damage prevented some rows from being read.
    private func repackBodies(
        of collection: CollectionID,
        _ between: () -> Void
    ) throws(StoreError) -> Set<UInt64>? {
        var (used, last): (Set<UInt64>, UInt64) = ([], 0)
        var (isAtEnd, isWhole) = (false, true)
        let state = try state(of: collection)
        while !isAtEnd {
            try inTransaction { () throws(StoreError) in
                let forms = try forms(of: collection, after: last, isWhole: &isWhole)
                isAtEnd = forms.count < Self.batchCount
                for form in forms {
                    last = form.sequence
                    if let dictionary = try repack(form, in: state) { used.insert(dictionary) }
                }
            }
            between()
        }
        guard isWhole else { return nil }
        if let current = try value(PackedCollection.key(collection), in: .packing)
            .flatMap(PackedCollection.init)
        {
            used.insert(current.dictionary)
        }
        return used
    }

    /// How a body is stored: the dictionary, and `nil` for a plain one.
    private struct Form {
        let sequence: UInt64
        let dictionary: UInt64?
    }

    private func forms(
        of collection: CollectionID,
        after sequence: UInt64,
        isWhole: inout Bool
    ) throws(StoreError) -> [Form] {
        let statement = try statement(
            """
            SELECT sequence, body FROM \(SQLiteSchema.table(collection))
            WHERE sequence > ? ORDER BY sequence LIMIT ?
            """
        )
        defer { statement.reset() }
        try statement.bind(Int64(clamping: sequence), at: 1)
        try statement.bind(Int64(Self.batchCount), at: 2)
        var forms: [Form] = []
        while try statement.step() {
            let dictionary = statement.withBytes(1) { PackedBody($0)?.dictionary }
            let found = UInt64(clamping: statement.integer(0))
            // Damage could make it less than an earlier one, and the loop endless.
            guard found > forms.last?.sequence ?? sequence else {
                isWhole = false
                break
            }
            forms.append(Form(sequence: found, dictionary: dictionary))
        }
        return forms
    }

    /// Stores a body as its collection requires; returns the dictionary that the row then uses.
    private func repack(_ form: Form, in state: CollectionState) throws(StoreError) -> UInt64? {
        let collection = state.id
        if let dictionary = form.dictionary,
            try wantedDictionary(of: collection) == dictionary
        {
            return dictionary
        }
        var found: DocumentRow?
        do throws(StoreError) {
            found = try rows(
                in: collection,
                after: form.sequence - 1,
                limit: 1,
                flags: [],
                content: .whole
            ).first
        } catch  where error.concernsOneDocument {}
        // A damaged row keeps its dictionary: another copy of the row may arrive.
        guard let row = found, row.sequence == form.sequence else { return form.dictionary }
        let packed = try packed([row], in: collection, after: state).first ?? []
        if form.dictionary == nil, packed.isEmpty { return nil }
        let update = try statement(
            """
            UPDATE \(SQLiteSchema.table(collection)) SET body = ?1, checksum = divan_row_checksum(
                sequence, documentID, revisionID, flags, expiration, tree, bodyByteCount, ?1)
            WHERE sequence = ?2
            """
        )
        if packed.isEmpty {
            try update.bindText(row.body, at: 1)
        } else {
            try update.bind(packed, at: 1)
        }
        try update.bind(Int64(clamping: row.sequence), at: 2)
        try update.run()
        return packed.withUnsafeBufferPointer { PackedBody($0)?.dictionary }
    }

    private func wantedDictionary(of collection: CollectionID) throws(StoreError) -> UInt64? {
        if let known = packers.known { return known[collection]?.state.dictionary }
        let stored = try value(PackedCollection.key(collection), in: .packing)
        return stored.flatMap(PackedCollection.init)?.dictionary
    }

    private func inTransaction(
        _ body: () throws(StoreError) -> Void
    ) throws(StoreError) {
        try begin("BEGIN IMMEDIATE")
        do throws(StoreError) {
            try body()
            try commit()
        } catch {
            rollback()
            throw error
        }
    }
}
