internal import DivanSQLite

/// The vectors of lazy indexes.
extension SQLiteSession {
    func pendingVectors(of table: String, limit: Int) throws(StoreError) -> [Int64] {
        let rows = try connection.prepare(
            "SELECT owner FROM \(table)_pending ORDER BY owner LIMIT ?1"
        )
        try rows.bind(Int64(limit), at: 1)
        var owners: [Int64] = []
        while try rows.step() { owners.append(rows.integer(0)) }
        return owners
    }

    func setVectors(_ vectors: [(sequence: Int64, vector: [Float]?)], in table: String) throws {
        let done = try connection.prepare("DELETE FROM \(table)_pending WHERE owner = ?1")
        let removals = try ["number = ?1 AND owner = ?1", "owner = ?1 AND owner <> number"].map {
            try connection.prepare("DELETE FROM \(table) WHERE \($0)")
        }
        let insert = try connection.prepare(
            "INSERT INTO \(table) (number, owner, vector) VALUES (?1, ?2, ?3)"
        )
        // The vectors of a lazy index are not in the order of sequences; numbers are not used again.
        let placed = try SQLiteVectorIndex.Head(table, on: connection).placed
        var number = max(placed, try connection.integer("SELECT max(number) FROM \(table)") ?? 0)
        for (sequence, vector) in vectors {
            try done.bind(sequence, at: 1)
            try done.run()
            // The document was changed, deleted, or updated by somebody else.
            guard connection.changedRowCount > 0 else { continue }
            for remove in removals {
                try remove.bind(sequence, at: 1)
                try remove.run()
            }
            guard let vector else { continue }
            number &+= 1
            try insert.bind(number, at: 1)
            try insert.bind(sequence, at: 2)
            try insert.bind(vector.storedBytes, at: 3)
            try insert.run()
        }
    }
}
