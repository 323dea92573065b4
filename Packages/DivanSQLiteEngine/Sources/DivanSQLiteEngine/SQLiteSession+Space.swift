internal import DivanSQLite
internal import DivanStorage

// Which pages belong to what, according to SQLite's own table of them, and which bodies are packed.
extension SQLiteSession {
    func indexByteCounts() throws(StoreError) -> [CollectionID: Int]? {
        // Not every build of SQLite has that table.
        let has = try statement("SELECT 1 FROM pragma_module_list WHERE name = 'dbstat'")
        defer { has.reset() }
        guard try has.step() else { return nil }
        var counts: [CollectionID: Int] = [:]
        let list = try statement(
            """
            SELECT item.tbl_name, item.name, space.pgsize
            FROM dbstat AS space JOIN sqlite_schema AS item ON item.name = space.name
            WHERE space.aggregate = TRUE AND item.tbl_name GLOB 'docs_[0-9]*'
            """
        )
        defer { list.reset() }
        while try list.step() {
            let (table, name) = (list.text(0), list.text(1))
            guard let number = Int64(table.dropFirst(5).prefix { $0.isNumber }),
                name != "docs_\(number)"
            else { continue }
            counts[CollectionID(rawValue: number), default: 0] += Int(list.integer(2))
        }
        return counts
    }

    func packedCount(
        in collection: CollectionID,
        among count: Int
    ) throws(StoreError) -> (seen: Int, packed: Int) {
        let state = try state(of: collection)
        let table = SQLiteSchema.table(collection)
        let first = UInt64(
            clamping: try connection.integer("SELECT min(sequence) FROM \(table)") ?? 0
        )
        var step: UInt64 = 1
        if state.liveCount > count, state.lastSequence > first {
            step = max(1, (state.lastSequence - first) / UInt64(max(1, count)))
        }
        let statement = try statement(
            """
            SELECT sequence, typeof(body) = 'blob' FROM \(table)
            WHERE sequence > ? AND flags & \(DocumentFlags.tombstone.rawValue) = 0
            ORDER BY sequence LIMIT 1
            """
        )
        defer { statement.reset() }
        var (last, seen, packed) = (UInt64(0), 0, 0)
        while true {
            statement.reset()
            try statement.bind(Int64(clamping: last), at: 1)
            guard try statement.step() else { break }
            let found = UInt64(clamping: statement.integer(0))
            seen += 1
            if statement.integer(1) == 1 { packed += 1 }
            // Damage could make it less than an earlier one, and the loop endless.
            let (next, overflows) = found.addingReportingOverflow(step - 1)
            guard found > last, !overflows else { break }
            last = next
        }
        return (seen, packed)
    }

    func dictionaryByteCounts() throws(StoreError) -> [CollectionID: [UInt64: Int]] {
        try SQLiteDictionaries(on: connection).byteCounts()
    }
}
